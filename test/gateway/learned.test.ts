import { expect, test } from 'vitest';
import { startTestGateway } from '../support/gateway.ts';
import { startList } from '../support/list.ts';
import { numbered } from '../support/pager.ts';

test('without calls to learn, a page that is cut names the settings that allow more', async () => {
  await using upstream = await startList(numbered(100), {
    after: 'starting_after',
    maxLimit: 20,
  });
  await using gateway = await startTestGateway(upstream.url, { MAX_CALLS_PER_LIST: '1' });

  const { errors } = await gateway.ask('{ messages(first: 60) { nodes { id } } }');

  expect(errors?.[0]?.extensions?.code).toBe('PAGE_OUT_OF_REACH');
  expect(errors?.[0]?.message).toMatch(/not known yet.* MAX_CALLS_PER_LIST/);
});

test('where no parameter works, a page that is cut asks for its name', async () => {
  await using upstream = await startList(numbered(100), { maxLimit: 20 });
  await using gateway = await startTestGateway(upstream.url);

  const { errors } = await gateway.ask('{ messages(first: 60) { nodes { id } } }');

  expect(errors?.[0]?.extensions?.code).toBe('PAGE_OUT_OF_REACH');
  expect(errors?.[0]?.message).toMatch(/no usual parameter .* PAGING_PARAM/);
});
