import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { startEmbeddedService } from '../../src/embedded/service.ts';
import { LAUNCHER, run, toAddress } from '../support/command.ts';
import { ask } from '../support/gateway.ts';
import { connectTo, toPost } from '../support/http.ts';
import { NO_POLLS, openSubscriptions } from '../support/live.ts';
import { readMetric } from '../support/metrics.ts';
import { named, sha256 } from '../support/persisted.ts';
import { subscribe } from '../support/subscribe.ts';
import { answering, type Respond, startUpstream } from '../support/upstream.ts';
import { wireConversation, wireMessage, wirePage } from '../support/wire.ts';
import { startWorkers } from '../support/workers.ts';

const READ = '{ message(id: "m1") { message } }';
const ANSWER = { message: { message: 'text m1' } };

/** A service that takes a while to answer. */
const slow = (delayMs: number) => ({
  'GET /v1/messages/m1': answering({ body: wireMessage('m1'), delayMs }),
});

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('with WORKERS=2', () => {
  test('two processes listen at one address, and the log has the operations of both without waiting for the next ones', async () => {
    await using gateway = await startWorkers();

    for (let pairs = 1; pairs <= 10; pairs += 1) {
      const answers = await Promise.all([gateway.one.ask(READ), gateway.other.ask(READ)]);

      expect(answers.map(({ data }) => data)).toEqual([ANSWER, ANSWER]);
      await expect.poll(() => gateway.log().length).toBe(2 * pairs);
    }
    expect(gateway.workers()).toHaveLength(2);
    // Each worker keeps the connection of its first call. A second one is opened if a call comes before the pool has noticed that
    // the first is free again.
    expect(gateway.service.connections).toBeLessThanOrEqual(4);
    expect(gateway.entries().every(({ msg }) => msg === 'operation')).toBe(true);
  });

  test('a worker that is killed is replaced, and the others answer meanwhile', async () => {
    await using gateway = await startWorkers();
    const [killed = 0, kept = 0] = gateway.workers();

    process.kill(killed, 'SIGKILL');
    // A connection that the worker is given before its end is noticed is closed.
    await expect
      .poll(() => gateway.entries())
      .toContainEqual(
        expect.objectContaining({ pid: killed, how: 'SIGKILL', waitMs: 0 }),
      );
    const { data } = await gateway.ask(READ);
    await expect.poll(() => gateway.workers().length).toBe(2);

    expect(data).toEqual(ANSWER);
    expect(gateway.workers()).toContain(kept);
    await expect
      .poll(() => readMetric(gateway, 'gateway_worker_ends_total'))
      .toEqual({ '': 1 });
  });

  test('a connection that a killed worker was given and had not taken is closed', async () => {
    await using gateway = await startWorkers();
    const [stopped = 0] = gateway.workers();
    process.kill(stopped, 'SIGSTOP');
    const sockets = Array.from({ length: 6 }, () => connectTo(gateway.url).resume());
    for (const socket of sockets) socket.write(toPost('{ __typename }'));
    // The other worker gets all but the one that the first was given.
    const unanswered = () => sockets.filter(({ bytesRead }) => bytesRead === 0);
    await expect.poll(() => unanswered().length).toBe(1);
    const [given] = unanswered();
    await sleep(200);
    expect(given?.closed).toBe(false);

    process.kill(stopped, 'SIGKILL');

    await expect.poll(() => given?.closed).toBe(true);
    for (const socket of sockets) socket.destroy();
  });

  // security: ended-worker
  test('workers that die at once are replaced after waits that grow', async () => {
    await using gateway = await startWorkers();
    const [steady = 0] = gateway.workers();
    const waits = () =>
      gateway
        .entries()
        .filter(({ how }) => how === 'SIGKILL')
        .map(({ waitMs }) => waitMs);

    for (let deaths = 1; deaths <= 4; deaths += 1) {
      await expect.poll(() => gateway.workers().length).toBe(2);
      const [dying = 0] = gateway.workers().filter((pid) => pid !== steady);
      process.kill(dying, 'SIGKILL');
      await expect.poll(() => waits().length).toBe(deaths);
    }

    expect(waits()).toEqual([0, 500, 1000, 2000]);
    expect((await gateway.ask(READ)).data).toEqual(ANSWER);
  });

  test('a worker that gets a SIGTERM finishes what it has accepted, and is replaced', async () => {
    await using gateway = await startWorkers({ script: slow(500) });
    const before = gateway.workers();
    const answers = [
      gateway.one.ask(READ, { token: 'a' }),
      gateway.other.ask(READ, { token: 'b' }),
    ];
    await expect.poll(() => gateway.service.calls.length).toBe(2);

    const [ended = 0] = before;
    process.kill(ended, 'SIGTERM');

    const received = await Promise.all(answers);
    expect(received.map(({ data }) => data)).toEqual([ANSWER, ANSWER]);
    await expect
      .poll(() => gateway.workers().filter((pid) => !before.includes(pid)).length)
      .toBe(1);
    await expect.poll(() => gateway.workers()).not.toContain(ended);
    expect((await gateway.ask(READ)).data).toEqual(ANSWER);
  });

  test('after SIGTERM, the operations of all workers finish, and all processes end', async () => {
    await using gateway = await startWorkers({ script: slow(500) });
    const workers = gateway.workers();
    const answers = [
      gateway.one.ask(READ, { token: 'a' }),
      gateway.other.ask(READ, { token: 'b' }),
    ];
    await expect.poll(() => gateway.service.calls.length).toBe(2);

    gateway.child.kill('SIGTERM');

    const received = await Promise.all(answers);
    expect(received.map(({ data }) => data)).toEqual([ANSWER, ANSWER]);
    expect(await gateway.exit()).toBe(0);
    expect(workers.filter(isAlive)).toEqual([]);
    // Nobody was replaced, and no line of the log is lost or broken.
    const messages = gateway.entries().map(({ msg }) => msg);
    expect(messages).toEqual(['operation', 'operation']);
  });

  test('Ctrl-C in a terminal, which signals every process, loses nothing', async () => {
    await using upstream = await startUpstream(slow(500));
    const env = { MESSAGING_URL: upstream.url, WORKERS: '2' };
    await using gateway = run([LAUNCHER], env, process.execPath, { detached: true });
    const answer = ask(toAddress(await gateway.first()), READ);
    await expect.poll(() => upstream.calls.length).toBe(1);

    process.kill(-(gateway.child.pid ?? Number.NaN), 'SIGINT');

    expect((await answer).data).toEqual(ANSWER);
    expect(await gateway.exit()).toBe(0);
  });

  test('a second signal ends all processes at once, with status 1', async () => {
    await using gateway = await startWorkers({ script: slow(60_000) });
    const workers = gateway.workers();
    gateway.ask(READ).catch(() => {});
    await expect.poll(() => gateway.service.calls.length).toBe(1);
    gateway.child.kill('SIGTERM');
    // The worker that has nothing to do.
    await expect.poll(() => workers.filter(isAlive).length).toBe(1);
    gateway.child.kill('SIGTERM');

    expect(await gateway.exit()).toBe(1);
    await expect.poll(() => workers.filter(isAlive)).toEqual([]);
  });

  test('without the process that started them, the workers end', async () => {
    await using gateway = await startWorkers();
    const workers = gateway.workers();

    process.kill(gateway.pid, 'SIGKILL');

    await expect.poll(() => workers.filter(isAlive)).toEqual([]);
  });

  test('all workers show the data of one embedded service', async () => {
    await using gateway = await startWorkers({ env: { MESSAGING_URL: 'embedded' } });
    const token = { token: 'ada-sample-token' };
    const send =
      'mutation { sendMessage(input: { conversationId: "conv_lisbon_trip", message: "new" }) { message { id } } }';
    const list =
      '{ messages(conversationId: "conv_lisbon_trip", first: 1) { nodes { message } } }';

    await gateway.one.ask(send, token);
    const { data } = await gateway.other.ask(list, token);

    expect(data).toEqual({ messages: { nodes: [{ message: 'new' }] } });
  });
});

const ADA = { token: 'ada-sample-token' };
const page = (after: string) =>
  `{ messages(conversationId: "conv_lisbon_trip", first: 5, after: ${after}) { pageInfo { endCursor } } }`;

/** Workers in front of an embedded service that pages by `starting_after`, with the calls that it gets. */
async function startPaging() {
  const lines: string[] = [];
  await using started = new AsyncDisposableStack();
  const { url, close } = await startEmbeddedService({
    answers: { paging: 'starting_after' },
    onCall: (call) => lines.push(call.url),
  });
  started.defer(close);
  const gateway = started.use(await startWorkers({ env: { MESSAGING_URL: url } }));
  const all = started.move();
  return { ...gateway, lines, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

describe('workers share', () => {
  test('their metrics: /metrics adds them up, and counts do not fall when one ends', async () => {
    await using gateway = await startWorkers();
    for (let turn = 0; turn < 3; turn += 1) {
      await gateway.one.ask(READ);
      await gateway.other.ask(READ);
    }
    const series = '{type="query",codes="none"}';
    const count = async () =>
      (await readMetric(gateway, 'gateway_operations_total'))[series];

    const before = [await count(), await count()];
    const [killed = 0] = gateway.workers();
    process.kill(killed, 'SIGKILL');
    await expect
      .poll(() => readMetric(gateway, 'gateway_worker_ends_total'))
      .toEqual({ '': 1 });
    await expect.poll(() => readMetric(gateway, 'gateway_workers')).toEqual({ '': 2 });

    expect(before).toEqual([6, 6]);
    expect(await count()).toBe(6);
    const timed = await readMetric(gateway, 'gateway_operation_duration_seconds_count');
    const fields = await readMetric(gateway, 'gateway_fields_total');
    expect(timed['{type="query"}']).toBe(6);
    expect(fields['{coordinate="Message.message",outcome="ok"}']).toBe(6);
    expect(fields['{coordinate="Message.message",outcome="error"}']).toBe(0);
  });

  test('how the service pages: the second worker asks for a next page as the first has learned', async () => {
    await using gateway = await startPaging();
    const { lines } = gateway;
    const first = await gateway.one.ask(page('null'), ADA);
    const { endCursor } = first.data.messages.pageInfo;
    await gateway.one.ask(page(JSON.stringify(endCursor)), ADA);
    const before = lines.length;

    const { errors } = await gateway.other.ask(page(JSON.stringify(endCursor)), ADA);

    expect(errors).toBeUndefined();
    expect(lines.slice(before)).toEqual([expect.stringContaining('starting_after=')]);
  });

  test('how the service pages: also a worker that was starting when another one learned it', async () => {
    await using gateway = await startPaging();
    const { lines } = gateway;
    const both = gateway.workers();
    const [killed = 0, learning = 0] = both;
    process.kill(killed, 'SIGKILL');
    await expect
      .poll(() => gateway.workers().some((pid) => !both.includes(pid)))
      .toBe(true);
    const first = await gateway.one.ask(page('null'), ADA);
    const after = JSON.stringify(first.data.messages.pageInfo.endCursor);
    await gateway.one.ask(page(after), ADA);
    // Only the new one is left, and those that start after it.
    process.kill(learning, 'SIGKILL');
    await expect
      .poll(() => gateway.entries())
      .toContainEqual(expect.objectContaining({ pid: learning, how: 'SIGKILL' }));
    const before = lines.length;

    // Until it listens, connections are refused.
    const ask = () => gateway.other.ask(page(after), ADA);
    const { errors } = await vi.waitFor(ask, { timeout: 60_000, interval: 20 });

    expect(errors).toBeUndefined();
    expect(lines.slice(before)).toEqual([expect.stringContaining('starting_after=')]);
  });

  test('persisted operations', async () => {
    await using gateway = await startWorkers();
    const extensions = named(sha256(READ));
    await gateway.one.ask(READ, { extensions });

    const { data } = await gateway.other.ask('', { extensions });

    expect(data).toEqual(ANSWER);
  });

  test('notices of changes: a write at one is seen at once by subscribers of both, and the inboxes are told of a message that is deleted', async () => {
    const ids = ['m1'];
    const script: Respond = ({ line }) => {
      if (line.includes('conversations'))
        return { body: wirePage([wireConversation('c1')]) };
      if (line.startsWith('DELETE')) return { body: '' };
      if (line.startsWith('GET /v1/messages/')) return { body: wireMessage('m1') };
      if (line.startsWith('POST')) ids.unshift('m2');
      return line.startsWith('POST')
        ? { body: wireMessage('m2') }
        : { body: wirePage(ids.map((id) => wireMessage(id))) };
    };
    await using gateway = await startWorkers({ script, env: NO_POLLS });
    await using started = new AsyncDisposableStack();
    const subscribeTwice = async (query: string) => [
      started.use(await subscribe(gateway.url, query)),
      started.use(await subscribe(gateway.url, query)),
    ];
    const chats = await subscribeTwice(
      'subscription { messageChanged(conversationId: "c1") { messageId } }',
    );
    const inboxes = await subscribeTwice(
      'subscription { conversationChanged { kind conversationId } }',
    );
    await expect.poll(() => openSubscriptions(gateway)).toBe(4);
    const next = (events: typeof chats) => Promise.all(events.map((one) => one.next()));

    await gateway.one.ask(
      'mutation { sendMessage(input: { conversationId: "c1", message: "hi" }) { message { id } } }',
      { token: 'bob-token' },
    );
    const created = { data: { messageChanged: { messageId: 'm2' } } };
    expect(await next(chats)).toEqual([created, created]);
    const updated = {
      data: { conversationChanged: { kind: 'UPDATED', conversationId: 'c1' } },
    };
    expect(await next(inboxes)).toEqual([updated, updated]);

    await gateway.one.ask(
      'mutation { deleteMessage(input: { id: "m1" }) { deletedMessageId } }',
    );
    expect(await next(inboxes)).toEqual([updated, updated]);
  });
});

test('with WORKERS=1 there is one process', async () => {
  await using gateway = await startWorkers({ count: 1 });

  expect((await gateway.ask(READ)).data).toEqual(ANSWER);
  expect(gateway.workers()).toEqual([]);
});
