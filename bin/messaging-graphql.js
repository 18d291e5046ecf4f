#!/usr/bin/env node
import { existsSync, readFileSync, statSync } from 'node:fs';
import module from 'node:module';
import { fileURLToPath } from 'node:url';
// All of it, because Node 18 has no `parseEnv`: to import that name would end the command before it can say that Node is too old.
import util from 'node:util';
import { setFlagsFromString } from 'node:v8';
import tooOld from '../library/too-old.cjs';

// The repository runs its source; the published package contains only the build.
const source = new URL('../src/main.ts', import.meta.url);
const isRepository = existsSync(source);
if (isRepository) {
  try {
    import.meta.resolve('graphql');
  } catch {
    stop('Run "npm ci" first: it installs the packages, and the right Node.');
  }
}
if (tooOld !== null) stop(tooOld);

// What V8 compiles is kept beside the code, because compiling is a third of a start. Where nothing can be written, nothing is kept.
// Workers are told by the variable.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(
  new URL('../.compiled', import.meta.url),
);
module.enableCompileCache(process.env.NODE_COMPILE_CACHE);

// V8 puts objects that outlived the start into its old space when the same code makes them later, for each request. There,
// they keep all that they refer to until a full collection, and each scavenge takes three times as long.
setFlagsFromString('--no-allocation-site-pretenuring');
// V8 gives a function to its best compiler after 3,000 runs, and waits for 500 more whenever it learns something new of it. With
// less of both, an operation reaches its final cost after 3,000 operations instead of 10,000.
setFlagsFromString('--invocation-count-for-turbofan=300');
setFlagsFromString('--minimum-invocations-after-ic-update=100');

// Before the source is loaded, so that all of it sees these variables. Those of the environment win. A folder of this name
// is not read: Python keeps its packages in one.
if (statSync('.env', { throwIfNoEntry: false })?.isDirectory() === false) {
  let text = '';
  try {
    text = readFileSync('.env', 'utf8');
  } catch {
    stop('The file .env of this folder cannot be read: make it readable, or remove it.');
  }
  // PowerShell writes UTF-16, of which no setting would be found.
  if (text.includes('\0'))
    stop('The file .env of this folder is not in UTF-8: save it in UTF-8.');
  // Editors of Windows begin a file with a byte order mark, which would be part of the first name.
  const settings = util.parseEnv(text.replace(/^\uFEFF/, ''));
  for (const name in settings) process.env[name] ??= settings[name];
}

function stop(why) {
  process.stderr.write(`${why}\n`);
  process.exit(1);
}

const built = new URL('../dist/command/main.js', import.meta.url);
import((isRepository ? source : built).href);
