import { randomBytes } from 'node:crypto';
import { createRawClient } from '../rest/raw.ts';
import { createRedactor } from '../rest/redact.ts';
import { toBaseAddress } from './address.ts';
import { createAsker } from './asker.ts';
import { conclude } from './conclude.ts';
import { ProbeError, Stopped } from './errors.ts';
import type { ProbeReport } from './report.ts';
import { conduct, createStudy } from './study.ts';

export type { PointReport, ProbeReport } from './report.ts';

export interface ProbeOptions {
  /** The service's base address, without `/v1`. */
  readonly url: string;
  /** The bearer token, without "Bearer ". */
  readonly token: string;
  /** Calls to the service; default, and most, 60. */
  readonly maxCalls?: number | undefined;
  /** Told what is asked for, a line before each call. */
  readonly onProgress?: ((line: string) => void) | undefined;
  /** Ends the probe early; what was found until then is reported. */
  readonly signal?: AbortSignal | undefined;
}

/** Open point: rate limits. What a service should bear from a stranger within a minute. */
const MOST_CALLS = 60;
/** One call, to its last byte. */
const TIMEOUT_MS = 10_000;
const MAX_RESPONSE_BYTES = 16 * 1024 * 1024;
/** What a header can carry. Open point: tokens are opaque otherwise. */
const TOKEN = /^[\x21-\x7e]+$/;

/**
 * Asks a live service, with reads only, what the interface text leaves open. Throws ProbeError where that is
 * pointless: no service there, a token it does not take, another interface.
 */
export async function probe(options: ProbeOptions): Promise<ProbeReport> {
  const { token, signal = new AbortController().signal } = options;
  const url = toBaseAddress(options.url);
  if (!TOKEN.test(token)) {
    throw new ProbeError('A token is made of visible ASCII characters without spaces.');
  }
  const maxCalls = Math.min(options.maxCalls ?? MOST_CALLS, MOST_CALLS);
  const redact = createRedactor(token);
  const onProgress = (line: string) => options.onProgress?.(redact(line));
  onProgress(`At most ${maxCalls} reads from ${url}; nothing is written.`);

  const limits = { timeoutMs: TIMEOUT_MS, maxResponseBytes: MAX_RESPONSE_BYTES };
  const client = createRawClient({ url, token, signal, ...limits });
  const stranger = createRawClient({ url, token: strangersToken(), signal, ...limits });
  const asker = createAsker({ client, maxCalls, signal, onProgress });
  const study = createStudy();
  let stopped: string | null = null;
  try {
    await conduct(asker, stranger, study);
  } catch (error) {
    if (error instanceof ProbeError) throw new ProbeError(redact(error.message));
    if (!(error instanceof Stopped)) throw error;
    stopped = error.message;
  } finally {
    await Promise.all([client.close(), stranger.close()]);
  }
  return mapTexts(conclude(study, { url, asker, stopped }), redact);
}

const strangersToken = (): string => `nobody-${randomBytes(12).toString('hex')}`;

/** A copy with every text replaced, names of fields left alone. */
function mapTexts<T>(value: T, replace: (text: string) => string): T {
  const map = (part: unknown): unknown => {
    if (typeof part === 'string') return replace(part);
    if (Array.isArray(part)) return part.map(map);
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(
      Object.entries(part).map(([name, inner]) => [name, map(inner)]),
    );
  };
  return map(value) as T; // the same shape, part by part
}
