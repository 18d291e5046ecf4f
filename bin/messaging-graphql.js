#!/usr/bin/env node
import { existsSync, statSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import tooOld from '../library/too-old.cjs';

if (tooOld !== null) {
  process.stderr.write(`${tooOld}\n`);
  process.exit(1);
}

// V8 puts objects that outlived the start into its old space when the same code makes them later, for each request. There,
// they keep all that they refer to until a full collection, and each scavenge takes three times as long.
setFlagsFromString('--no-allocation-site-pretenuring');

// Before the source is loaded, so that all of it sees these variables. Those of the environment win. A folder of this name
// is not read: Python keeps its packages in one.
if (statSync('.env', { throwIfNoEntry: false })?.isDirectory() === false) {
  try {
    process.loadEnvFile();
  } catch {
    process.stderr.write(
      'The file .env of this folder cannot be read: make it readable, or remove it.\n',
    );
    process.exit(1);
  }
}

// The repository runs its source; the published package contains only the build.
const source = new URL('../src/main.ts', import.meta.url);
const built = new URL('../dist/main.js', import.meta.url);
import((existsSync(source) ? source : built).href);
