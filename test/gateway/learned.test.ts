import { expect, test } from 'vitest';
import { loadConfig, startGateway } from '../../src/gateway.ts';
import { keepLines } from '../library/support.ts';
import { ask } from '../support/gateway.ts';
import { type ListOptions, startList } from '../support/list.ts';
import { readMetric } from '../support/metrics.ts';
import { numbered } from '../support/pager.ts';

test.each<[service: ListOptions, learned: Record<string, unknown>]>([
  [
    { after: 'starting_after', before: 'ending_before' },
    { paging: 'starting_after', backward: true, maxLimit: null },
  ],
  [
    { offset: 'offset', maxLimit: 25 },
    { paging: 'offset', backward: true, maxLimit: 25 },
  ],
  [{}, { paging: 'limit', backward: true, maxLimit: null }],
])('what was learned of %j is in /readyz, metrics and log', async (service, learned) => {
  await using upstream = await startList(numbered(100), service);
  const { lines, logger } = keepLines();
  const config = loadConfig({ MESSAGING_URL: upstream.url, PORT: '0' });
  await using gateway = await startGateway({ ...config, logger });
  const readPage = async (args: string) => {
    const query = `{ messages(conversationId: "c1", ${args}) { nodes { id } pageInfo { endCursor } } }`;
    return (await ask(gateway.url, query)).data.messages.pageInfo.endCursor;
  };
  const ready = async () => (await fetch(`${gateway.url}/readyz`)).json();
  expect(await ready()).toEqual({
    status: 'ready',
    service: 'not known to fail',
    learned: [],
  });

  const cursor = await readPage(
    service.maxLimit === undefined ? 'first: 10' : 'first: 60',
  );
  for (let turn = 0; turn < 3; turn += 1) await readPage(`first: 10, after: "${cursor}"`);

  const line = { endpoint: '/v1/messages', ...learned };
  expect(await ready()).toEqual({
    status: 'ready',
    service: 'not known to fail',
    learned: [line],
  });
  expect(await readMetric(gateway, 'gateway_learned_paging')).toEqual({
    [`{endpoint="/v1/messages",style="${learned.paging}"}`]: 1,
  });
  const limits = await readMetric(gateway, 'gateway_learned_max_limit');
  expect(Object.values(limits)).toEqual(
    learned.maxLimit === null ? [] : [learned.maxLimit],
  );
  const told = lines.filter(({ msg }) => msg === 'learned how the service answers');
  expect(told.filter(({ paging }) => paging !== null)).toHaveLength(
    service.offset ? 2 : 1,
  );
  expect(told.at(-1)).toMatchObject({ level: 'info', ...line });
  expect(JSON.stringify(told)).not.toMatch(/m0\d\d|ann-token|c1/);
});
