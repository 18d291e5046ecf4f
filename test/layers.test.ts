import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';

/** What each place may import of ours; itself it always may. A place that is not here imports nothing of ours. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  main: ['commands', 'probe'],
  commands: ['embedded', 'gateway', 'probe'],
  gateway: [
    'config',
    'document',
    'http',
    'operation',
    'paging',
    'resolvers',
    'rest',
    'telemetry',
  ],
  config: ['paging', 'rest'],
  http: ['document', 'operation', 'rest'],
  operation: [
    'config',
    'cost',
    'document',
    'http',
    'paging',
    'resolvers',
    'rest',
    'telemetry',
  ],
  document: ['config', 'operation'],
  cost: ['document', 'operation', 'resolvers', 'rest'],
  resolvers: ['cost', 'document', 'paging', 'rest', 'telemetry'],
  paging: ['rest'],
  telemetry: ['rest'],
  probe: ['config', 'rest'],
};

/** The places that alone may import a package. */
const PACKAGES: Record<string, readonly string[]> = {
  undici: ['rest'],
  qs: ['embedded'],
  dataloader: ['resolvers'],
  fastify: ['http', 'embedded'],
  pino: ['http', 'operation', 'telemetry'],
  'prom-client': ['telemetry'],
  '@opentelemetry/api': ['telemetry'],
};

const IMPORT = /^(?:import|export)\s[^;]*?from '([^']+)'|import\('([^']+)'\)/gm;

const files = globSync('src/**/*.ts').map((file) => {
  const text = readFileSync(file, 'utf8');
  const imports = [...text.matchAll(IMPORT)].map(
    ([, from, dynamic]) => from ?? dynamic ?? '',
  );
  return { file, text, place: toPlace(file), imports };
});

/** `src/rest/form.ts` is in `rest`, `src/config.ts` in `config`; the generated types are those of the resolvers. */
function toPlace(file: string): string {
  return file
    .replace(/^src\//, '')
    .replace(/^generated/, 'resolvers')
    .replace(/\/.*$|\.ts$/, '');
}

test.each(files)('$file imports only what its layer may', ({ file, place, imports }) => {
  const places = imports
    .filter((path) => path.startsWith('.'))
    .map((path) => toPlace(normalize(join(dirname(file), path))));

  expect([place, ...(MAY_IMPORT[place] ?? [])]).toEqual(expect.arrayContaining(places));
});

test('no files import one another in a circle', () => {
  const open = new Map(
    files.map(({ file, imports }) => [
      file,
      imports
        .filter((path) => path.startsWith('.'))
        .map((path) => normalize(join(dirname(file), path))),
    ]),
  );
  // Whoever imports nothing that is left is no part of a circle.
  const isFree = ([, imports]: [string, string[]]) => !imports.some((at) => open.has(at));
  for (let free = [...open].filter(isFree); free.length > 0; ) {
    for (const [file] of free) open.delete(file);
    free = [...open].filter(isFree);
  }

  expect([...open.keys()]).toEqual([]);
});

test.each(Object.entries(PACKAGES))('%s is imported in %j alone', (name, places) => {
  const users = files
    .filter(({ imports }) => imports.includes(name))
    .map(({ place }) => place);

  expect(users.length).toBeGreaterThan(0);
  expect(places).toEqual(expect.arrayContaining(users));
});

test('the environment is read in main.ts alone', () => {
  const readers = files
    .filter(({ text }) => text.includes('process.env'))
    .map(({ file }) => file);

  expect(readers).toEqual(['src/main.ts']);
});

test('the version of the interface stands once', () => {
  const places = files.filter(
    ({ place, text }) => place === 'rest' && /'\/v1/.test(text),
  );

  expect(places.map(({ file }) => file)).toEqual(['src/rest/path.ts']);
});
