import { afterAll, expect, test } from 'vitest';
import { type Call, startEmbeddedService } from '../src/embedded/service.ts';
import { OPEN_POINTS } from '../src/messaging/open-points.ts';
import { LISTS } from './matrix/lists.ts';
import { SERVICE } from './matrix/service.ts';
import { TOKEN } from './matrix/tools.ts';
import { WRITES } from './matrix/writes.ts';
import { startTestGateway } from './support/gateway.ts';

const toNumber = (point: string): number => Number.parseInt(point, 10);
const POINTS = Object.entries({ ...WRITES, ...LISTS, ...SERVICE }).toSorted(
  ([a], [b]) => toNumber(a) - toNumber(b),
);
const passed = new Map<string, number>();

afterAll(() => {
  const answers = [...passed.values()].reduce((sum, count) => sum + count, 0);
  const complete = POINTS.filter(([point, all]) => passed.get(point) === all.length);
  process.stdout.write(
    `open points: ${complete.length}/${POINTS.length}, ${answers} answers tried\n`,
  );
});

test('each open point has at least two answers', () => {
  expect(POINTS.map(([point]) => toNumber(point))).toEqual(
    Object.keys(OPEN_POINTS).map(Number),
  );
  expect(POINTS.filter(([, answers]) => answers.length < 2)).toEqual([]);
});

test.each(
  POINTS.flatMap(([point, answers]) =>
    answers.map((answer) => [point, answer.name, answer] as const),
  ),
)('open point %s: %s', async (point, _name, { knobs, settings, check }) => {
  const calls: Call[] = [];
  await using service = await startEmbeddedService({
    answers: knobs ?? {},
    onCall: (call) => calls.push(call),
  });
  await using gateway = await startTestGateway(service.url, {
    REST_RETRIES: '0',
    ...settings,
  });

  await check({
    calls,
    url: service.url,
    gatewayUrl: gateway.url,
    ask: (query, variables = {}) => gateway.ask(query, { token: TOKEN, variables }),
  });

  passed.set(point, (passed.get(point) ?? 0) + 1);
});
