import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { startTestGateway } from '../../support/gateway.ts';
import { NOWHERE } from '../../support/http.ts';

const execute = promisify(execFile);

test('the settings for GraphQL Code Generator in the docs give every scalar its type', async () => {
  await using gateway = await startTestGateway(NOWHERE);
  await using started = new AsyncDisposableStack();
  const folder = started.adopt(await mkdtemp(join(tmpdir(), 'codegen-')), (made) =>
    rm(made, { recursive: true }),
  );
  const docs = await readFile('docs/clients.md', 'utf8');
  const [, settings = ''] = /```yaml\n(.*?)```/s.exec(docs) ?? [];
  const here = settings
    .replace('http://127.0.0.1:4000/graphql', `${gateway.url}/graphql`)
    .replace('src/**/*.{ts,tsx}', `${folder}/*.graphql`)
    .replace('src/gql/:', `${folder}/gql/:`);
  await writeFile(join(folder, 'codegen.yml'), here);
  await writeFile(
    join(folder, 'a.graphql'),
    'query A { message(id: "1") { createdAt } }',
  );

  const program = 'node_modules/.bin/graphql-codegen';
  await execute(program, ['--config', join(folder, 'codegen.yml')], {
    cwd: import.meta.dirname,
  });

  const types = await readFile(join(folder, 'gql', 'graphql.ts'), 'utf8');
  expect(types).toContain('createdAt: number');
  expect(types).not.toContain('any');
});
