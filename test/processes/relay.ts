import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  type ConcreteRequest,
  Environment,
  type GraphQLResponse,
  Network,
  RecordSource,
  Store,
} from 'relay-runtime';

const require = createRequire(import.meta.url);
/** The path of the compiler for this system. */
const COMPILER: string = require('relay-compiler');
/** Ends a compiler that hangs; it takes a tenth of a second. Unit: milliseconds. */
const TIMEOUT_MS = 20_000;

/** What Relay's compiler made of an application. */
export interface Compiled {
  /** The queries and mutations, by name. */
  readonly requests: ReadonlyMap<string, ConcreteRequest>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Compiles documents, and the mutation in docs/clients.md, as described there, in a folder where the package is installed. */
export async function compileApp(documents: readonly string[]): Promise<Compiled> {
  await using started = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'relay-'));
  started.defer(() => rm(folder, { recursive: true, force: true }));
  const installed = join(folder, 'node_modules/messaging-graphql');
  await mkdir(installed, { recursive: true });
  await cp('schema.graphql', join(installed, 'schema.graphql'));
  await mkdir(join(folder, 'src'));
  const documented = (await readDocs('graphql')).replace('mutation ', 'mutation App');
  const app = [...documents, documented].map((text) => `graphql\`${text}\`;\n`);
  await writeFile(join(folder, 'src/App.js'), app.join(''));
  // The tests load what the compiler writes as it is: JavaScript, and without `import`.
  const config = {
    ...JSON.parse(await readDocs('json')),
    language: 'javascript',
    eagerEsModules: false,
  };
  await writeFile(join(folder, 'relay.config.json'), JSON.stringify(config));

  await promisify(execFile)(COMPILER, [], { cwd: folder, timeout: TIMEOUT_MS });

  const output = join(folder, 'src/__generated__');
  const artifacts = (await readdir(output)).map((file) => require(join(output, file)));
  const requests: ConcreteRequest[] = artifacts.filter(({ kind }) => kind === 'Request');
  const remaining = started.move();
  return {
    requests: new Map(requests.map((request) => [request.params.name, request])),
    [Symbol.asyncDispose]: () => remaining.disposeAsync(),
  };
}

/** The first block of a language in the section about Relay, as frontend developers copy it. */
async function readDocs(language: string): Promise<string> {
  const document = await readFile('docs/clients.md', 'utf8');
  const block = new RegExp(`^## Relay$.*?^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'ms');
  return block.exec(document)?.[1] ?? '';
}

/** Relay's environment as docs/clients.md describes it. */
export const createEnvironment = (url: string, token: string): Environment =>
  new Environment({
    network: Network.create(async ({ text }, variables) => {
      const response = await fetch(`${url}/graphql`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${token}`,
        },
        body: JSON.stringify({ query: text, variables }),
      });
      return (await response.json()) as GraphQLResponse;
    }),
    store: new Store(new RecordSource()),
    getDataID: (record) => record.nodeId,
  });
