import fc from 'fast-check';
import { GraphQLError, getVariableValues, Kind, parse, validate } from 'graphql';
import { afterAll, expect, test } from 'vitest';
import { post } from '../support/http.ts';
import { broken, junkRequest, withAnyVariables } from './arbitrary/junk.ts';
import { arbitraryQuery } from './arbitrary/operation.ts';
import type { Operation } from './arbitrary/print-operation.ts';
import { schema } from './oracle/schema.ts';
import { startSystem } from './oracle/system.ts';
import { runParameters, timeoutFor } from './runs.ts';

const RUNS = runParameters(40, 2);
const TIMEOUT_MS = timeoutFor(RUNS.numRuns);
/** A request without an answer for so long has failed. Unit: milliseconds. */
const HANGS_MS = 60_000;

/** All read the same data. */
const system = await startSystem();
afterAll(() => system[Symbol.asyncDispose]());
const { gateway, token, world } = system;

const ask = ({ query, variables }: Operation) =>
  gateway.ask(query, { variables, token, signal: AbortSignal.timeout(HANGS_MS) });

/** The error code that graphql-js, with the schema files alone, gives a document; null if the document is valid. */
function codeOf({ query }: Operation): string | null {
  try {
    const found = validate(schema, parse(query));
    return found.length > 0 ? 'GRAPHQL_VALIDATION_FAILED' : null;
  } catch (error) {
    if (error instanceof GraphQLError) return 'GRAPHQL_PARSE_FAILED';
    throw error;
  }
}

test(
  'a broken document gets 400 and the code of its first mistake',
  async () => {
    const codes = new Set<string | null>();

    await fc.assert(
      fc.asyncProperty(broken(arbitraryQuery(world)), async (operation) => {
        const code = codeOf(operation);
        codes.add(code);
        const { status, errors } = await ask(operation);

        if (code === null) expect([200, 400]).toContain(status);
        else expect([status, errors?.[0]?.extensions.code]).toEqual([400, code]);
      }),
      RUNS,
    );
    expect(codes.size).toBe(3);
  },
  TIMEOUT_MS,
);

test(
  'valid variables are accepted, and any others get 400',
  async () => {
    const statuses = new Set<number>();

    await fc.assert(
      fc.asyncProperty(withAnyVariables(arbitraryQuery(world)), async (operation) => {
        const { status, errors } = await ask(operation);
        statuses.add(status);

        if (hasValidVariables(operation)) expect(status).toBe(200);
        else
          expect([status, errors?.[0]?.extensions.code]).toEqual([400, 'BAD_USER_INPUT']);
      }),
      RUNS,
    );
    expect([...statuses].toSorted()).toEqual([200, 400]);
  },
  TIMEOUT_MS,
);

function hasValidVariables({ query, variables }: Operation): boolean {
  const [definition] = parse(query).definitions;
  if (definition?.kind !== Kind.OPERATION_DEFINITION) return false;
  const { variableDefinitions = [] } = definition;
  return getVariableValues(schema, variableDefinitions, variables).errors === undefined;
}

// security: any-request
test(
  'a request of any shape gets an answer in the shape of GraphQL, never a 5xx',
  async () => {
    const statuses = new Set<number>();

    await fc.assert(
      fc.asyncProperty(junkRequest, async ({ method, headers, body, search }) => {
        const response = await fetch(`${gateway.url}/graphql${search}`, {
          method,
          headers,
          body,
          signal: AbortSignal.timeout(HANGS_MS),
        });
        const text = await response.text();
        statuses.add(response.status);

        expect(response.status).toBeLessThan(500);
        if (response.status === 200) return;
        expect(JSON.parse(text)).toEqual({
          errors: expect.arrayContaining([
            expect.objectContaining({
              message: expect.stringMatching(/./),
              extensions: expect.objectContaining({
                code: expect.stringMatching(/^[A-Z_]+$/),
              }),
            }),
          ]),
        });
      }),
      { ...RUNS, numRuns: RUNS.numRuns * 3 },
    );
    expect([...statuses]).toEqual(expect.arrayContaining([400, 405, 415]));
  },
  TIMEOUT_MS,
);

/** For the first time Apollo Server plans an operation, later the kept plan runs. */
const TIMES = 100;
/** One for twenty of the other properties, which send each operation once. */
const REPEATED = runParameters(2, 1);

/** The bytes of an answer: its status, its headers in their order, but for the date, and its body. */
async function bytesFor(operation: Operation) {
  const response = await post(gateway.url, operation, {
    authorization: `Bearer ${token}`,
    'x-request-id': 'r1',
  });
  const headers = [...response.headers].filter(([name]) => name !== 'date');
  return JSON.stringify([response.status, headers, await response.text()]);
}

test.each([
  ['valid', (query: ReturnType<typeof arbitraryQuery>) => query],
  ['with any variables', withAnyVariables],
  ['broken', broken],
])(
  'a hundred times, an operation gets the same bytes: %s',
  async (_, change) => {
    await fc.assert(
      fc.asyncProperty(change(arbitraryQuery(world)), async (operation) => {
        const first = await bytesFor(operation);
        for (let time = 1; time < TIMES; time += 1)
          expect(await bytesFor(operation)).toBe(first);
      }),
      REPEATED,
    );
  },
  timeoutFor(REPEATED.numRuns * TIMES),
);
