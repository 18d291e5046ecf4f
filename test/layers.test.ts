import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { buildSchema, isObjectType } from 'graphql';
import { expect, test } from 'vitest';

/** What each room may import of ours, besides itself. A room that is not listed imports nothing of ours. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  main: ['arguments', 'cluster', 'commands', 'explain', 'probe', 'resolvers', 'rest'],
  arguments: ['config'],
  commands: ['cluster', 'config', 'embedded', 'gateway', 'messaging'],
  explain: ['config', 'cost', 'gateway', 'resolvers'],
  gateway: [
    'callers',
    'config',
    'document',
    'embedded',
    'http',
    'live',
    'messaging',
    'operation',
    'paging',
    'resolvers',
    'rest',
    'sharing',
    'telemetry',
  ],
  cluster: ['callers', 'config', 'gateway', 'sharing', 'telemetry'],
  config: ['callers', 'messaging', 'operation', 'paging', 'rest'],
  http: ['callers', 'operation', 'rest'],
  operation: [
    'callers',
    'cost',
    'document',
    'execution',
    'live',
    'paging',
    'resolvers',
    'rest',
    'telemetry',
  ],
  messaging: ['cost', 'live', 'paging', 'resolvers', 'rest'],
  resolvers: ['callers', 'cost', 'document', 'live', 'paging', 'rest', 'telemetry'],
  cost: ['document', 'paging', 'rest'],
  document: ['rest'],
  execution: ['document', 'rest'],
  live: ['callers', 'paging', 'rest'],
  paging: ['callers', 'rest'],
  sharing: ['live', 'paging', 'rest', 'telemetry'],
  telemetry: ['callers', 'paging', 'rest'],
  probe: ['config', 'messaging', 'paging', 'rest'],
  rest: ['callers'],
};

/** The only rooms or files that may import a package. */
const PACKAGES: Record<string, readonly string[]> = {
  undici: ['rest'],
  qs: ['embedded'],
  dataloader: ['resolvers/loaders.ts'],
  negotiator: ['http'],
  'graphql-ws': ['http'],
  ws: ['http'],
  '@redis/client': ['sharing/redis.ts'],
  pino: ['cluster', 'http', 'operation', 'sharing', 'telemetry'],
  'prom-client': ['telemetry'],
  '@apollo/server': ['operation/apollo.ts', 'operation/apollo-request.ts'],
  '@opentelemetry/api': ['telemetry'],
};

const IMPORT = /^(?:import|export)\s[^;]*?from '([^']+)'|import\('([^']+)'\)/gm;

const readFiles = (pattern: string) =>
  globSync(pattern, { exclude: ['test/ci/**'] }).map((path) => {
    const text = readFileSync(path, 'utf8');
    const imports = [...text.matchAll(IMPORT)].map(
      ([, from, dynamic]) => from ?? dynamic ?? '',
    );
    return {
      file: path.replace(/^src\//, ''),
      text,
      imports,
      ours: imports
        .filter((from) => from.startsWith('.'))
        .map((from) => normalize(join(dirname(path), from)).replace(/^src\//, '')),
      packages: imports.map((from) => /^(?:@[\w-]+\/)?[\w-]+/.exec(from)?.[0] ?? ''),
    };
  });

const files = readFiles('src/**/*.ts');

/** `rest` for rest/form.ts, `config` for config.ts; the generated types belong to messaging. */
const toRoom = (file: string): string =>
  file.replace(/^generated/, 'messaging').replace(/\/.*$|\.ts$/, '');

test('at the top of src/ are folders and five files', () => {
  const top = files.map(({ file }) => file).filter((file) => !file.includes('/'));

  expect(top.sort()).toEqual([
    'arguments.ts',
    'commands.ts',
    'config.ts',
    'gateway.ts',
    'main.ts',
  ]);
});

test('each file imports only the rooms that its room may', () => {
  const offenders = files.flatMap(({ file, ours }) => {
    const room = toRoom(file);
    const allowed = [room, ...(MAY_IMPORT[room] ?? [])];
    return ours
      .filter((other) => !allowed.includes(toRoom(other)))
      .map((other) => `${file} imports ${other}`);
  });

  expect(offenders).toEqual([]);
});

test('no rooms, and no files, import one another in a circle', () => {
  const rooms = Object.entries(MAY_IMPORT);

  expect(circleOf(rooms)).toEqual([]);
  expect(circleOf(files.map(({ file, ours }) => [file, ours]))).toEqual([]);
});

/** What remains after removing, again and again, whatever imports nothing that remains. */
function circleOf(imports: readonly (readonly [string, readonly string[]])[]): string[] {
  const left = new Map(imports);
  const isFree = ([, from]: readonly [string, readonly string[]]) =>
    !from.some((one) => left.has(one));
  for (let free = [...left].filter(isFree); free.length > 0; ) {
    for (const [one] of free) left.delete(one);
    free = [...left].filter(isFree);
  }
  return [...left.keys()];
}

test.each(Object.entries(PACKAGES))('%s is imported only in %j', (name, places) => {
  const users = files.filter(({ packages }) => packages.includes(name));
  const strangers = users.filter(
    ({ file }) => !places.includes(file) && !places.includes(toRoom(file)),
  );

  expect(users.length).toBeGreaterThan(0);
  expect(strangers.map(({ file }) => file)).toEqual([]);
});

test('only two files read the environment', () => {
  const readers = files.filter(({ text }) => text.includes('process.env'));

  // A library's user gives settings as values; NODE_ENV alone says whether sample data are wanted.
  expect(readers.map(({ file }) => file).sort()).toEqual([
    'gateway/settings.ts',
    'main.ts',
  ]);
  const library = readers.find(({ file }) => file !== 'main.ts');
  expect(library?.text.match(/process\.env\.?\w*/g)).toEqual(['process.env.NODE_ENV']);
});

test('only one file of rest/ names the version of the interface', () => {
  const users = files.filter(
    ({ file, text }) => toRoom(file) === 'rest' && /'\/v1/.test(text),
  );

  expect(users.map(({ file }) => file)).toEqual(['rest/path.ts']);
});

/** The folders, and a file, that may name the types of the schema, which are true of one service alone. */
const KNOW_THE_SERVICE = ['messaging', 'embedded', 'generated', 'probe/nouns.ts'];
/** These words have other meanings too. They count as the name of a type or a list, and with an id. */
const AMBIGUOUS = ['Message', 'Group'];

test('outside the folders of the service, no code names what the schema has', () => {
  const texts = globSync('schema/*.graphql').map((path) => readFileSync(path, 'utf8'));
  const nouns = Object.values(buildSchema(texts.join('\n')).getTypeMap())
    .filter(isObjectType)
    .filter((type) => 'id' in type.getFields())
    .map(({ name }) => name)
    .concat('Reaction', 'Attachment');
  const patterns = nouns.map((noun) => {
    if (!AMBIGUOUS.includes(noun)) return new RegExp(noun, 'i');
    const word = noun.toLowerCase();
    const list = `\\b${word}s\\(|/${word}s\\b(?!\\.ts)`;
    return new RegExp(`['"\`]${noun}['"\`]|${list}|(${word}|${noun})_?[iI]d`);
  });
  const offenders = files
    .filter(({ file }) => !KNOW_THE_SERVICE.some((place) => file.startsWith(place)))
    .flatMap(({ file, text }) =>
      patterns.map((pattern) => [file, pattern.exec(withoutComments(text))?.[0]]),
    )
    .filter(([, found]) => found !== undefined);

  expect(nouns).toContain('Conversation');
  expect(offenders).toEqual([]);
});

/** Comments may give examples. */
const withoutComments = (text: string): string =>
  text.replace(/\/\*[\s\S]*?\*\/|^ *\/\/.*$/gm, '');

test('of the tests beside .ci/run, only those in test/processes/ start processes', () => {
  const sources = new Map(readFiles('test/**/*.ts').map((one) => [one.file, one]));
  const startsProcesses = (file: string, seen = new Set<string>()): boolean => {
    const source = sources.get(file);
    if (source === undefined || seen.has(file)) return false;
    seen.add(file);
    return (
      source.imports.includes('node:child_process') ||
      source.ours.some((other) => startsProcesses(other, seen))
    );
  };
  const tests = [...sources.keys()].filter((file) => file.endsWith('.test.ts'));
  const starters = tests.filter((file) => startsProcesses(file));

  expect(starters.length).toBeGreaterThan(10);
  expect(starters.filter((file) => !file.startsWith('test/processes/'))).toEqual([]);
});
