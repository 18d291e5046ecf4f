import { constants } from 'node:zlib';
import fastifyCompress from '@fastify/compress';
import type { FastifyInstance, onSendHookHandler } from 'fastify';

/** Shorter answers cost more to compress than to send. Unit: bytes. */
const COMPRESS_FROM_BYTES = 1024;
/** A character of a string takes at most this much in UTF-8. */
const MAX_BYTES_PER_CHARACTER = 3;
/** The default, 11, takes more time than it saves on any network. */
const BROTLI_QUALITY = 4;
/** 2^18 bytes. With the default, 2^22, an answer that waits for its client takes 6 MB, not 1, and is no shorter. */
const BROTLI_WINDOW_BITS = 18;

/** Compresses long answers, as the client accepts. Call it before the routes are added. */
export async function compressAnswers(app: FastifyInstance): Promise<void> {
  await app.register(fastifyCompress, {
    threshold: COMPRESS_FROM_BYTES,
    globalDecompression: false,
    encodings: ['br', 'gzip', 'identity'],
    brotliOptions: {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
        [constants.BROTLI_PARAM_LGWIN]: BROTLI_WINDOW_BITS,
      },
    },
  });
  // The plugin adds its hook to each route. For short answers it would only read headers, and compress nothing.
  app.addHook('onRoute', (route) => {
    route.onSend = [route.onSend ?? []].flat().map(unlessShort);
  });
}

/** Runs a hook only for answers that may be long enough to compress. */
const unlessShort = (hook: onSendHookHandler): onSendHookHandler =>
  function unlessShort(request, reply, payload, done) {
    return typeof payload === 'string' && isShort(payload)
      ? done(null, payload)
      : hook.call(this, request, reply, payload, done);
  };

/** Whether a text is never compressed. */
export const isShort = (text: string): boolean =>
  text.length * MAX_BYTES_PER_CHARACTER < COMPRESS_FROM_BYTES;
