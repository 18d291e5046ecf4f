import type { OutgoingHttpHeaders } from 'node:http';
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import type { GraphQLSchema } from 'graphql';
import { writeDocument } from './document.ts';
import type { Genome, Transport, Value } from './genome.ts';
import { createCounter, writeValue } from './value.ts';

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
const BROTLI_QUALITY = 5;

/** Writes the request of a genome, of at most 1 MiB before it is compressed. */
export function writeRequest(
  genome: Genome,
  schema: GraphQLSchema,
  token: string,
  turn = 0,
): AttackRequest {
  const { transport } = genome;
  const params = writeParams(genome, schema, turn);
  const isGet = transport.method === 'GET' || transport.oddity === 'OPTIONS';
  const method = transport.oddity === 'OPTIONS' ? 'OPTIONS' : transport.method;
  const path = isGet ? toAddress(params) : '/graphql';
  const body = isGet ? Buffer.alloc(0) : compress(toBody(params), transport);
  return {
    method,
    path,
    headers: {
      ...(transport.oddity !== 'no Host' && { host: 'gateway' }),
      ...(!isGet && {
        'content-type': 'application/json',
        'content-length': body.length,
      }),
      ...(!isGet &&
        transport.encoding !== 'none' && { 'content-encoding': transport.encoding }),
      accept: transport.accept,
      'accept-encoding': transport.acceptEncoding,
      ...toAuthorization(transport, token),
      ...toOddHeaders(transport),
    },
    body,
    size: path.length + body.length,
  };
}

/** The fields of the request, each as JSON. */
type Params = Readonly<Record<string, string>>;

/** Values of variables get what the document leaves of the room, one after another. */
function writeParams(genome: Genome, schema: GraphQLSchema, turn: number): Params {
  const all = genome.transport.method === 'GET' ? MAX_ADDRESS / 3 : MAX_BODY_BYTES;
  const query = shorten(JSON.stringify(writeDocument(genome, schema, all - FRAME)), all);
  let room = all - FRAME - Buffer.byteLength(query);
  // Distinct values differ from turn to turn, too.
  const next = createCounter(turn * DISTINCT);
  const write = (value: Value): string => {
    const written = writeValue(value, { as: 'JSON', room: Math.max(0, room), next });
    // Characters of several bytes, and lists in lists, take more room than was known.
    const fitting = Buffer.byteLength(written) <= room ? written : 'null';
    room -= Buffer.byteLength(fitting);
    return fitting;
  };
  const variables = Object.entries(genome.variables)
    .filter(([, { isDefault }]) => !isDefault)
    .map(([name, { value }]) => `${JSON.stringify(name)}:${write(value)}`);
  return {
    query,
    ...(variables.length > 0 && { variables: `{${variables.join()}}` }),
    ...((genome.operations > 0 || genome.before !== '') && { operationName: '"Q"' }),
    ...(genome.extensions !== null && { extensions: write(genome.extensions) }),
  };
}

/** A document that did not fit is cut off, which makes it an invalid one. */
function shorten(query: string, all: number): string {
  const room = all - FRAME;
  if (Buffer.byteLength(query) <= room) return query;
  const cut = Buffer.from(query)
    .subarray(0, room - 8)
    .toString();
  return `${cut.replace(/\\?[^\\]{0,6}$/, '')}"`;
}

const toBody = (params: Params): Buffer =>
  Buffer.from(
    `{${Object.entries(params)
      .map(([name, json]) => `"${name}":${json}`)
      .join()}}`,
  );

function toAddress(params: Params): string {
  const fields = Object.entries(params).map(
    ([name, json]) =>
      `${name}=${encodeURIComponent(name === 'query' || name === 'operationName' ? unquote(json) : json)}`,
  );
  return `/graphql?${fields.join('&')}`.slice(0, MAX_ADDRESS);
}

function unquote(json: string): string {
  try {
    return String(JSON.parse(json)).toWellFormed();
  } catch {
    return json.toWellFormed();
  }
}

function compress(body: Buffer, { encoding }: Transport): Buffer {
  if (encoding === 'gzip') return gzipSync(body);
  if (encoding === 'deflate') return deflateSync(body);
  if (encoding === 'none') return body;
  return brotliCompressSync(body, {
    params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY },
  });
}

function toAuthorization({ token }: Transport, given: string): OutgoingHttpHeaders {
  if (token === 'none') return {};
  if (token === 'no bearer') return { authorization: `Basic ${given}` };
  const text = token === 'long' ? given.padEnd(7000, 'x') : given;
  return { authorization: `Bearer ${text}` };
}

function toOddHeaders({ oddity }: Transport): OutgoingHttpHeaders {
  if (oddity === 'Expect') return { expect: 'a miracle' };
  if (oddity !== 'many headers') return {};
  return Object.fromEntries(
    Array.from({ length: 400 }, (_, index) => [`x-h${index}`, 'y,z;q=0.1']),
  );
}
