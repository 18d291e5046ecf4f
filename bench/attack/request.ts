import type { OutgoingHttpHeaders } from 'node:http';
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import type { Case, Transport } from './case.ts';
import { writeDocument } from './document.ts';
import { createCounter, type Value, writeValue } from './value.ts';

/** A request as it is sent. */
export interface AttackRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Buffer;
  /** Of the body and the path, as sent. Unit: bytes. */
  readonly size: number;
}

/** The gateway reads no longer body. Unit: bytes. */
const MAX_BODY_BYTES = 1_048_576;
/** The distinct values of one turn. */
const DISTINCT = 1_000_000;
/** For the names of the fields of a body. Unit: characters. */
const FRAME = 200;
/** A GET has its operation in its address, which Node bounds with the headers. Unit: characters. */
const MAX_ADDRESS = 15_000;
/** With fewer, brotli compresses quickly enough for a search. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };
const COMPRESS: Record<Transport['encoding'], (body: Buffer) => Buffer> = {
  none: (body) => body,
  gzip: (body) => gzipSync(body),
  deflate: (body) => deflateSync(body),
  br: (body) => brotliCompressSync(body, BROTLI),
};

/** Writes the request of a case, of at most 1 MiB before it is compressed. */
export function writeRequest(one: Case, token: string, turn = 0): AttackRequest {
  const { method, encoding, oddity, accept, acceptEncoding } = one.transport;
  const params = Object.entries(writeParams(one, turn));
  const isGet = method === 'GET' || oddity === 'OPTIONS';
  const path = isGet ? toAddress(params) : '/graphql';
  const json = `{${params.map(([name, value]) => `"${name}":${value}`).join()}}`;
  const body = isGet ? Buffer.alloc(0) : COMPRESS[encoding](Buffer.from(json));
  return {
    method: oddity === 'OPTIONS' ? 'OPTIONS' : method,
    path,
    headers: {
      ...(oddity !== 'no Host' && { host: 'gateway' }),
      ...(!isGet && {
        'content-type': 'application/json',
        'content-length': body.length,
        ...(encoding !== 'none' && { 'content-encoding': encoding }),
      }),
      accept,
      'accept-encoding': acceptEncoding,
      ...toAuthorization(one.transport, token),
      ...(oddity === 'Expect' && { expect: 'a miracle' }),
      ...(oddity === 'many headers' && MANY_HEADERS),
    },
    body,
    size: path.length + body.length,
  };
}

const MANY_HEADERS = Object.fromEntries(
  Array.from({ length: 400 }, (_, index) => [`x-h${index}`, 'y,z;q=0.1']),
);

/**
 * The fields of the request, each as JSON. Values of variables get what the document leaves of the room, one after another.
 */
function writeParams(one: Case, turn: number): Record<string, string> {
  const all = one.transport.method === 'GET' ? MAX_ADDRESS / 3 : MAX_BODY_BYTES;
  const query = shorten(JSON.stringify(writeDocument(one, all - FRAME)), all - FRAME);
  let room = all - FRAME - Buffer.byteLength(query);
  // Distinct values differ from turn to turn, too.
  const next = createCounter(turn * DISTINCT);
  const write = (value: Value): string => {
    const written = writeValue(value, { room: Math.max(0, room), next });
    // Characters of several bytes, and lists in lists, take more room than was known.
    const fitting = Buffer.byteLength(written) <= room ? written : 'null';
    room -= Buffer.byteLength(fitting);
    return fitting;
  };
  const variables = Object.entries(one.variables).map(
    ([name, { value }]) => `"${name}":${write(value)}`,
  );
  return {
    query,
    ...(variables.length > 0 && { variables: `{${variables.join()}}` }),
    ...((one.operations > 0 || one.before !== '') && { operationName: '"Q"' }),
    ...(one.extensions !== null && { extensions: write(one.extensions) }),
  };
}

/** A document that did not fit is cut off, which makes it an invalid one. */
function shorten(query: string, room: number): string {
  if (Buffer.byteLength(query) <= room) return query;
  const cut = Buffer.from(query)
    .subarray(0, room - 8)
    .toString();
  return `${cut.replace(/\\?[^\\]{0,6}$/, '')}"`;
}

function toAddress(params: readonly (readonly [string, string])[]): string {
  const fields = params.map(([name, json]) => {
    const isText = name === 'query' || name === 'operationName';
    const value: string = isText ? JSON.parse(json) : json;
    return `${name}=${encodeURIComponent(value.toWellFormed())}`;
  });
  return `/graphql?${fields.join('&')}`.slice(0, MAX_ADDRESS);
}

function toAuthorization({ token }: Transport, given: string): OutgoingHttpHeaders {
  if (token === 'none') return {};
  if (token === 'no bearer') return { authorization: `Basic ${given}` };
  const text = token === 'long' ? given.padEnd(7000, 'x') : given;
  return { authorization: `Bearer ${text}` };
}
