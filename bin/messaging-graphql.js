#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import tooOld from '../library/too-old.cjs';

if (tooOld !== null) {
  process.stderr.write(`${tooOld}\n`);
  process.exit(1);
}

// V8 puts objects that outlived the start into its old space when the same code makes them later, for each request. There,
// they keep all that they refer to until a full collection, and each scavenge takes three times as long.
setFlagsFromString('--no-allocation-site-pretenuring');

// The repository runs its source; the published package contains only the build.
const source = new URL('../src/main.ts', import.meta.url);
const built = new URL('../dist/main.js', import.meta.url);
import((existsSync(source) ? source : built).href);
