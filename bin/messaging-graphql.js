#!/usr/bin/env node
// Plain JavaScript, so that an old Node prints the message below instead of a syntax error.
import { existsSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';

const REQUIRED = [22, 19];
const [major, minor] = process.versions.node.split('.').map(Number);

if (major < REQUIRED[0] || (major === REQUIRED[0] && minor < REQUIRED[1])) {
  process.stderr.write(
    `messaging-graphql needs Node ${REQUIRED.join('.')} or newer; this is ${process.versions.node}.\n`,
  );
  process.exit(1);
}

// V8 puts objects that outlived the start into its old space when the same code makes them later, for each request. There,
// they keep all that they refer to until a full collection, and each scavenge takes three times as long.
setFlagsFromString('--no-allocation-site-pretenuring');

// The repository runs its source; the published package contains only the build.
const source = new URL('../src/main.ts', import.meta.url);
const built = new URL('../dist/main.js', import.meta.url);
import((existsSync(source) ? source : built).href);
