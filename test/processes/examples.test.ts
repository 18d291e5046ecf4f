import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startEmbeddedService } from '../../src/embedded/service.ts';
import { run, toAddress } from '../support/command.ts';

const TOKEN = 'ada-sample-token';
const LISBON = 'conv_lisbon_trip';

describe('examples/library/', () => {
  const LIBRARY = resolve('examples/library');
  const SERVERS = ['express.js', 'fastify.js', 'node-http.js'];
  const PROGRAMS = ['in-process.js', 'own-test.test.js'];

  test('has no file without a test', () => {
    expect(readdirSync(LIBRARY).sort()).toEqual([...SERVERS, ...PROGRAMS].sort());
  });

  test.each(SERVERS)('%s answers all, and ends after SIGTERM', async (file) => {
    await using service = await startEmbeddedService();
    await using server = run([`${LIBRARY}/${file}`], { MESSAGING_URL: service.url });
    const url = toAddress(await server.first());

    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` },
      body: JSON.stringify({ query: `{ conversation(id: "${LISBON}") { id } }` }),
    });
    const rest = await fetch(new URL('/', url));

    expect(await response.json()).toEqual({ data: { conversation: { id: LISBON } } });
    expect(await rest.text()).toBe('the rest of the application\n');
    server.child.kill('SIGTERM');
    expect(await server.exit()).toBe(0);
    expect(server.errors).toEqual([]);
  });

  test('in-process.js prints the data of a token, and the errors of another', async () => {
    await using service = await startEmbeddedService();
    const env = { MESSAGING_URL: service.url };
    await using program = run([`${LIBRARY}/in-process.js`, TOKEN], env);
    await using refused = run([`${LIBRARY}/in-process.js`, 'nobody'], env);
    await using sample = run([`${LIBRARY}/in-process.js`]);

    expect(await program.exit()).toBe(0);
    expect(JSON.parse(program.lines.join('')).conversations.nodes).toHaveLength(3);
    expect(await refused.exit()).toBe(0);
    expect(refused.errors).toEqual([expect.stringMatching(/^conversations .*401/)]);
    expect(await sample.exit()).toBe(0);
    expect(sample.lines.join()).toContain(LISBON);
  });

  test('own-test.test.js passes', async () => {
    await using tests = run(['--test', `${LIBRARY}/own-test.test.js`]);

    expect(await tests.exit()).toBe(0);
    expect(tests.lines.join('\n')).toMatch(/pass 2$/m);
  });
});
