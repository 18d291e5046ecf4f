import { expect, test } from 'vitest';
import { startGatewayProcess } from '../support/gateway-process.ts';
import { type ListOptions, startList } from '../support/list.ts';
import { readMetric } from '../support/metrics.ts';
import { numbered } from '../support/pager.ts';

const KNOWN: [service: ListOptions, learned: Record<string, unknown>][] = [
  [
    { after: 'starting_after', before: 'ending_before' },
    { paging: 'starting_after', backward: true, maxLimit: null },
  ],
  [
    { after: 'starting_after' },
    { paging: 'starting_after', backward: false, maxLimit: null },
  ],
  [
    { offset: 'offset', maxLimit: 25 },
    { paging: 'offset', backward: true, maxLimit: 25 },
  ],
  [
    { page: 'page', maxLimit: 25, refuse: 400 },
    { paging: 'page', backward: true, maxLimit: 20 },
  ],
  [{}, { paging: 'limit', backward: true, maxLimit: null }],
];

test.each(KNOWN)(
  'what was learned of %j is in /readyz, the metrics and one line of the log',
  async (service, learned) => {
    await using upstream = await startList(numbered(100), service);
    await using gateway = await startGatewayProcess(upstream.url);
    const ask = (args: string) =>
      gateway.ask(
        `{ messages(conversationId: "c1", ${args}) { nodes { id } pageInfo { endCursor } } }`,
      );
    const ready = async () => (await fetch(`${gateway.url}/readyz`)).json();
    expect(await ready()).toEqual({ status: 'ready', learned: [] });

    const { data } = await ask(
      service.maxLimit === undefined ? 'first: 10' : 'first: 60',
    );
    const { endCursor } = data.messages.pageInfo;
    for (let turn = 0; turn < 3; turn += 1) await ask(`first: 10, after: "${endCursor}"`);

    const line = { endpoint: '/v1/messages', ...learned };
    expect(await ready()).toEqual({ status: 'ready', learned: [line] });
    expect(await readMetric(gateway, 'gateway_learned_paging')).toEqual({
      [`{endpoint="/v1/messages",style="${learned.paging}"}`]: 1,
    });
    const limit = await readMetric(gateway, 'gateway_learned_max_limit');
    expect(Object.values(limit)).toEqual(
      learned.maxLimit === null ? [] : [learned.maxLimit],
    );
    const lines = (await gateway.stop()).filter(
      ({ msg }) => msg === 'learned how the service answers',
    );
    expect(lines.filter(({ paging }) => paging !== null)).toHaveLength(
      service.offset ? 2 : 1,
    );
    expect(lines.at(-1)).toMatchObject({ level: 30, ...line });
    expect(JSON.stringify(lines)).not.toMatch(/m0\d\d|ann-token|c1/);
  },
);
