import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { startWorkers } from '../support/workers.ts';

const OLD = '{ message(id: "m1") { message } }';
const BOTH = '{ message(id: "m1") { id } }';
const NEW = '{ message(id: "m1") { id message } }';
const REFUSED = 'DOCUMENT_NOT_TRUSTED';

const folder = mkdtempSync(join(tmpdir(), 'reload-'));
afterAll(() => rmSync(folder, { recursive: true }));
const path = join(folder, 'manifest.json');
const write = (documents: readonly string[]) =>
  writeFileSync(path, JSON.stringify(Object.fromEntries(documents.map((d) => [d, d]))));

type Workers = Awaited<ReturnType<typeof startWorkers>>;

/** How both workers answer the three documents: by the first error's code, or `ok`. */
async function judge({ one, other }: Pick<Workers, 'one' | 'other'>) {
  const asked = [OLD, BOTH, NEW].flatMap((text) => [one.ask(text), other.ask(text)]);
  const answers = await Promise.all(asked);
  return answers.map(({ errors }) => errors?.[0]?.extensions.code ?? 'ok');
}
const BEFORE = ['ok', 'ok', 'ok', 'ok', REFUSED, REFUSED];
const AFTER = [REFUSED, REFUSED, 'ok', 'ok', 'ok', 'ok'];

/** The log's lines about the manifest. */
const told = ({ entries }: Workers) =>
  entries()
    .filter(({ msg }) => msg.includes('manifest'))
    .map(({ level, cause, documents }) => ({ level, cause, documents }));

test('SIGHUP gives all workers the new manifest under load; a broken one, and one that is gone, change nothing', async () => {
  write([OLD, BOTH]);
  await using gateway = await startWorkers({ env: { TRUSTED_DOCUMENTS: path } });
  const { child } = gateway;
  // Until their plans are kept.
  for (let times = 0; times < 3; times += 1) expect(await judge(gateway)).toEqual(BEFORE);
  const seen = new Set<string>();
  let isOver = false;
  const load = Array.from({ length: 8 }, async () => {
    while (!isOver) {
      const verdicts = await judge(gateway);
      seen.add(`both: ${verdicts.splice(2, 2)}`);
      for (const verdict of verdicts) seen.add(verdict);
    }
  });

  write([BOTH, NEW]);
  child.kill('SIGHUP');
  await expect.poll(() => judge(gateway)).toEqual(AFTER);
  writeFileSync(path, '{ "a": ');
  child.kill('SIGHUP');
  await expect.poll(() => told(gateway).length).toBe(2);
  rmSync(path);
  child.kill('SIGHUP');
  await expect.poll(() => told(gateway).length).toBe(3);
  expect(await judge(gateway)).toEqual(AFTER);
  isOver = true;
  await Promise.all(load);

  // Each request was judged by one of the manifests, and what both list never failed.
  expect([...seen].toSorted()).toEqual([REFUSED, 'both: ok,ok', 'ok']);
  expect(told(gateway)).toEqual([
    { level: 30, documents: 2 },
    { level: 50, cause: expect.stringContaining('the file is neither') },
    { level: 50, cause: 'the file cannot be read: ENOENT' },
  ]);

  // A worker that starts now has the manifest in force, although there is no file.
  const [killed = 0] = gateway.workers();
  process.kill(killed, 'SIGKILL');
  await expect.poll(() => gateway.workers()).not.toContain(killed);
  await expect.poll(() => gateway.workers().length).toBe(2);
  for (let connection = 0; connection < 4; connection += 1)
    expect((await gateway.ask(NEW)).errors).toBeUndefined();
});
