import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig } from '../src/config.ts';
import { parseAnswers } from '../src/embedded/answers.ts';
import { startEmbeddedService } from '../src/embedded/service.ts';
import { ERROR_CODES } from '../src/rest/error-codes.ts';
import { startTestGateway } from './support/gateway.ts';

const README = readFileSync('README.md', 'utf8');
const CONTRIBUTING = readFileSync('CONTRIBUTING.md', 'utf8');

/** The code blocks of a document in one language. */
const codeBlocks = (document: string, language: string): string[] =>
  [...document.matchAll(/^```(\w+)\n(.*?)^```$/gms)].flatMap(([, name, text]) =>
    name === language && text !== undefined ? [text] : [],
  );

const operations = codeBlocks(README, 'graphql');

const LONG_CONVERSATION = 'conv_lisbon_trip';
const TOKEN = { token: 'ada-sample-token' };

/** Values for the variables of the operations, by operation. */
const VARIABLES: Record<string, Record<string, unknown>> = {
  Inbox: {},
  NextPage: { id: LONG_CONVERSATION },
  Send: { id: LONG_CONVERSATION, text: 'hello', key: 'k1' },
  Archive: { id: LONG_CONVERSATION, now: '2026-03-01T09:30:00Z' },
};

test('the first query gets the answer printed below it, with three calls', async () => {
  const lines: string[] = [];
  await using service = await startEmbeddedService({
    onCall: ({ url }) => lines.push(url),
  });
  await using gateway = await startTestGateway(service.url);
  const [query = ''] = operations;

  const { data } = await gateway.ask(query, TOKEN);

  expect({ data }).toEqual(JSON.parse(codeBlocks(README, 'json')[0] ?? ''));
  expect(lines).toHaveLength(3);
});

test.each(operations.slice(1).map((text) => [/\w+ (\w+)/.exec(text)?.[1] ?? '', text]))(
  'the operation %s works as printed',
  async (name, operation) => {
    await using service = await startEmbeddedService();
    await using gateway = await startTestGateway(service.url);

    const { errors } = await gateway.ask(operation, {
      ...TOKEN,
      variables: VARIABLES[name] ?? { missing: name },
    });

    expect(Object.keys(VARIABLES)).toContain(name);
    expect(errors).toBeUndefined();
  },
);

test('the docs link every program in examples/, which the tests run', () => {
  const docs = globSync('docs/*.md').map((file) => readFileSync(file, 'utf8'));
  const programs = globSync('examples/*.ts');

  const isLinked = (file: string) => docs.some((text) => text.includes(`](../${file})`));
  expect(programs.length).toBeGreaterThan(5);
  expect(programs.filter((file) => !isLinked(file))).toEqual([]);
});

test('the settings table names every setting and its default', () => {
  const camelCase = (name: string) =>
    name
      .toLowerCase()
      .replace(/_(\w)/g, (_match, letter: string) => letter.toUpperCase());
  const table = new Map(
    [...README.matchAll(/^\| (`[A-Z].*?) \| (`.*?|none) \|/gm)].flatMap(
      ([, names = '', defaults = '']) => {
        const values = defaults.match(/[^`,\s]+/g) ?? [];
        return (names.match(/[A-Z_]+/g) ?? []).map(
          (name, index) => [camelCase(name), values[index]] as const,
        );
      },
    ),
  );
  // The usual names of the paging parameters are the style's own: unset, the setting is null.
  const unset = {
    pagingParam: 'starting_after',
    pagingBackParam: 'ending_before',
    maxLimit: 'none',
    timestampUnit: 'none',
    restHeaders: 'none',
    forwardHeaders: 'none',
    restProxy: 'none',
    restCa: 'none',
    restCert: 'none',
    restKey: 'none',
    trustedDocuments: 'none',
    redisUrl: 'none',
  };

  expect(Object.fromEntries(table)).toEqual(
    Object.fromEntries(
      Object.entries({ ...loadConfig({}), ...unset }).map(([name, value]) => [
        name,
        String(value),
      ]),
    ),
  );
});

test('the row of a setting in its table names every word that the setting takes', () => {
  const rows = README.matchAll(/^\| (`[A-Z].*?) \| (?:`|none).*$/gm);
  const missing = [...rows].flatMap(([row, names = '']) =>
    (names.match(/[A-Z_]+/g) ?? []).flatMap((name) =>
      wordsOf(name).filter((word) => !row.includes(`\`${word}\``)),
    ),
  );

  expect(wordsOf('PAGING')).toContain('auto');
  expect(missing).toEqual([]);
});

/** The words that a setting takes, as the error for another value lists them. */
function wordsOf(name: string): string[] {
  try {
    loadConfig({ [name]: '\n' });
  } catch (error) {
    const words = /: takes one of (.*)$/m.exec(String(error))?.[1] ?? '';
    return words.split(', ').filter((word) => word !== '');
  }
  return [];
}

test('it names every error code, and docs/errors.md explains each', () => {
  const [, section = ''] = README.split('\n## Errors\n');
  const named = section.slice(0, section.indexOf('\n## ')).match(/(?<=`)[A-Z_]+(?=`)/g);
  const table = readFileSync('docs/errors.md', 'utf8').matchAll(/^\| `([A-Z_]+)` \|/gm);
  const explained = [...table].map(([, code]) => code);

  expect(named?.toSorted()).toEqual(ERROR_CODES.toSorted());
  expect(explained.toSorted()).toEqual(ERROR_CODES.toSorted());
});

/** The anchors that GitHub gives to the headings of a document. */
const anchors = (document: string): string[] =>
  [...document.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );

test.each(['README.md', 'CONTRIBUTING.md', 'SECURITY.md', ...globSync('docs/*.md')])(
  'the links in %s lead somewhere',
  (file) => {
    const links = [...readFileSync(file, 'utf8').matchAll(/\]\((?!http)([^)]+)\)/g)];
    const broken = links.filter(([, link = '']) => {
      const [path, anchor] = link.split('#');
      const target = path ? join(dirname(file), path) : file;
      if (!existsSync(target)) return true;
      return (
        anchor !== undefined && !anchors(readFileSync(target, 'utf8')).includes(anchor)
      );
    });

    expect(broken.map(([, link]) => link)).toEqual([]);
  },
);

test('version managers find the Node that the project pins', () => {
  expect(`v${readFileSync('.node-version', 'utf8').trim()}`).toBe(process.version);
});

test('the files that it, CONTRIBUTING.md and the pages in docs/ name exist', () => {
  const named = /`((?:src|schema|docs|examples|bin|test|explorer|\.ci)\/[\w./-]*)`/g;
  const pages = globSync('docs/*.md').map((file) => readFileSync(file, 'utf8'));
  const texts = [README, CONTRIBUTING, ...pages];
  const paths = [...texts.join('\n').matchAll(named)].map(([, path = '']) => path);
  /** CONTRIBUTING.md tells how to add groups. */
  const isFuture = (path: string) => path.includes('/group');

  expect(paths.length).toBeGreaterThan(100);
  expect(paths.filter((path) => !existsSync(path) && !isFuture(path))).toEqual([]);
});

test('the options it gives the embedded service are options of that service', () => {
  const words = /npm run embedded -- (.*)/.exec(README)?.[1]?.split(' ') ?? [];

  expect(words.length).toBeGreaterThan(2);
  expect(() => parseAnswers(words)).not.toThrow();
});

test('the npm commands that it and CONTRIBUTING.md name are scripts of the package', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  const text = README + CONTRIBUTING;
  const used = [...text.matchAll(/npm run ([\w:]+)/g)].map(([, name]) => name ?? '');

  expect(used.length).toBeGreaterThan(4);
  expect(Object.keys(scripts)).toEqual(expect.arrayContaining(used));
});

/** The files that each section of docs/flow.md follows, in its order. */
const walks = readFileSync('docs/flow.md', 'utf8')
  .split(/^## /m)
  .filter((section) => /^A (list|mutation|event|404)|^An event/.test(section))
  .map((section) => [
    section.slice(0, section.indexOf('\n')),
    [...section.matchAll(/`(src\/[\w/-]+\.ts)`/g)].map(([, path = '']) => path),
  ]) as [string, string[]][];

const imports = new Map(
  globSync('src/**/*.ts').map((file) => [
    file,
    [...readFileSync(file, 'utf8').matchAll(/ from '(\.[^']+)'/g)].map(([, path = '']) =>
      join(dirname(file), path),
    ),
  ]),
);

test('docs/flow.md follows a list, a mutation, an event and a 404', () => {
  expect(walks.map(([name]) => name)).toEqual([
    'A list',
    'A mutation',
    'An event',
    'A 404',
  ]);
});

test.each(walks)('the files on the way of "%s" import one another', (_, files) => {
  const apart = files.slice(1).filter((file, index) => {
    const before = files.slice(0, index + 1);
    return !before.some(
      (other) =>
        other === file ||
        imports.get(other)?.includes(file) ||
        imports.get(file)?.includes(other),
    );
  });

  expect(files.length).toBeGreaterThan(4);
  expect(apart).toEqual([]);
});

// npm warns whoever installs a package with such a script, even of one that it never runs there. `dependencies` runs here alone.
test('the package has no script that npm would run where it is installed', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));

  for (const name of ['preinstall', 'install', 'postinstall', 'prepare'])
    expect(scripts).not.toHaveProperty(name);
});
