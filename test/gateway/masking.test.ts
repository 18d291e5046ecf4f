import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { GraphQLError } from 'graphql';
import { expect, test } from 'vitest';
import { formatError, isBug } from '../../src/errors.ts';
import { startTestGateway } from '../support/gateway.ts';
import { startUpstream } from '../support/upstream.ts';

/** What graphql makes of an error that a resolver threw. */
const thrown = (originalError: Error) =>
  new GraphQLError(originalError.message, { path: ['message'], originalError });

test('a bug of ours is masked', () => {
  const bug = thrown(new TypeError('x is not a function at secret.ts'));

  const formatted = formatError({ ...bug.toJSON(), path: ['message'] }, bug);

  expect(isBug(bug)).toBe(true);
  expect(formatted).toEqual({
    message: 'Internal server error',
    locations: undefined,
    path: ['message'],
    extensions: { code: 'INTERNAL_SERVER_ERROR' },
  });
});

test("GraphQL's own errors are no bugs", () => {
  const error = new GraphQLError('Syntax Error', {
    extensions: { code: 'GRAPHQL_PARSE_FAILED' },
  });

  expect(isBug(error)).toBe(false);
  expect(formatError(error.toJSON(), error)).toEqual(error.toJSON());
});

test('no error tells the token, not even one the caller wrote into the operation', async () => {
  await using upstream = await startUpstream({});
  await using gateway = await startTestGateway(upstream.url);
  const token = 'se/cret-"token"';

  const answers = await Promise.all([
    gateway.ask('query ($n: Int) { messages(first: $n) { nodes { id } } }', {
      token,
      variables: { n: token },
    }),
    gateway.ask(`{ messages(after: ${JSON.stringify(token)}) { nodes { id } } }`, {
      token,
    }),
    gateway.ask(
      `mutation { deleteMessage(input: { id: ${JSON.stringify(token)} }) { deletedMessageId } }`,
      { token },
    ),
    gateway.ask(`{ message(id: 1.5e${token}) { id } }`, { token }),
  ]);

  for (const { errors } of answers) {
    expect(errors).toHaveLength(1);
    expect(JSON.stringify(errors)).not.toMatch(/se\/?cret/);
  }
});

/** Runs a gateway whose schema has a bug, and returns what it logs. */
test('a bug is logged with the request id and without the token', async () => {
  const script = `
    import { pino } from 'pino';
    import { logBugs } from './src/http/plugins.ts';
    const plugin = logBugs(pino({ base: null }));
    const { createRedactor } = await import('./src/rest/redact.ts');
    const contextValue = { requestId: 'r-1', redact: createRedactor('s3cret') };
    const listener = await plugin.requestDidStart({ contextValue });
    const { GraphQLError } = await import('graphql');
    const originalError = new TypeError('cannot read s3cret');
    await listener.didEncounterErrors({ errors: [new GraphQLError('x', { path: ['a'], originalError })] });
  `;
  const child = spawn(process.execPath, [
    '--input-type=module-typescript',
    '--eval',
    script,
  ]);
  const output = child.stdout.toArray();
  await once(child, 'close');

  const line = JSON.parse(Buffer.concat(await output).toString());
  expect(line).toMatchObject({
    requestId: 'r-1',
    error: { name: 'TypeError', message: 'cannot read [redacted]' },
    msg: 'internal server error',
  });
  expect(JSON.stringify(line)).not.toContain('s3cret');
});
