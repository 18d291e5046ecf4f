import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { BodyReader } from '../../src/http/body.ts';
import { createIncoming, type Incoming } from '../../src/http/incoming.ts';
import { accepted } from '../support/callers.ts';

/** Reads a body that comes in these parts. Returns it, and what it counted as, the last two of them when it is used and after that. */
async function readParts(parts: readonly Buffer[], headers: Record<string, string> = {}) {
  const counted: number[] = [];
  let held = 0;
  const incoming: Incoming = {
    open: () => ({
      hold(bytes) {
        held = bytes;
        counted.push(bytes);
        return true;
      },
      end() {
        held = 0;
      },
    }),
  };
  const request = new IncomingMessage(new Socket());
  request.headers = headers;
  const reader = new BodyReader(request, incoming, 'ann');
  const reading = reader.readWhole(null);
  for (const part of parts) request.push(part);
  request.push(null);
  await reading;
  counted.push(held);
  const body = Buffer.from(reader.decode());
  reader.end();
  return { body, counted: [...counted, held] };
}

const parts = (bytes: Buffer, size: number) =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
const BODY = Buffer.from(
  JSON.stringify({ query: '{ a }', variables: { a: 'ä€'.repeat(999) } }),
);

test('a body that comes in one part is not copied, and counts as nothing', async () => {
  const { body, counted } = await readParts([BODY], {
    'content-length': `${BODY.length}`,
  });

  expect(body).toEqual(BODY);
  expect(counted).toEqual([0, 0]);
});

test.each([
  ['with a length', { 'content-length': `${BODY.length}` }, 1],
  ['with a length', { 'content-length': `${BODY.length}` }, 700],
  ['without one', {}, 7],
  ['without one', {}, 700],
])(
  'a body %s in parts (%j) of %i bytes is whole, and counts as little more than its bytes until it was used',
  async (_, headers, size) => {
    const { body, counted } = await readParts(parts(BODY, size), headers);

    expect(body.equals(BODY)).toBe(true);
    const [used, after] = counted.slice(-2);
    expect(after).toBe(0);
    expect(used).toBe(Math.max(...counted));
    expect(used).toBeLessThan(8192 + 2 * BODY.length + 256);
  },
);

// security: many-chunks
test('the first byte counts', async () => {
  const { counted } = await readParts([Buffer.from('{'), Buffer.alloc(999_999, ' ')], {
    'content-length': '1000000',
  });

  expect(counted).toEqual([8192 + 256, 8192 + 1_000_000, 8192 + 1_000_000, 0]);
});

// security: unfinished-bodies
test('a body whose client leaves before its end counts no more', async () => {
  const ends: string[] = [];
  const request = new IncomingMessage(new Socket());
  request.headers = { 'content-length': '99' };
  const account = { hold: () => true, end: () => ends.push('body') };
  const reading = new BodyReader(request, { open: () => account }, 'ann').readWhole(null);
  request.push(Buffer.from('{'));
  request.once('data', () => request.destroy(new Error('aborted')));

  await expect(reading).rejects.toMatchObject({ statusCode: 400 });
  expect(ends).toEqual(['body']);
});

test('a body that another server replaced is refused if it closes before its end', async () => {
  const incoming = createIncoming(accepted, 100_000);
  const stream = new PassThrough();
  const request = new IncomingMessage(new Socket());
  const replaced = { stream, length: null, isEncoded: false };
  const reading = new BodyReader(request, incoming, 'ann').readWhole(replaced);
  stream.write('{');
  stream.destroy();

  await expect(reading).rejects.toMatchObject({ statusCode: 400 });
});
