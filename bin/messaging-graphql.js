#!/usr/bin/env node
// Plain JavaScript, so that an old Node prints the message below instead of a syntax error.
import { existsSync } from 'node:fs';

const REQUIRED = [22, 19];
const [major, minor] = process.versions.node.split('.').map(Number);

if (major < REQUIRED[0] || (major === REQUIRED[0] && minor < REQUIRED[1])) {
  process.stderr.write(
    `messaging-graphql needs Node ${REQUIRED.join('.')} or newer; this is ${process.versions.node}.\n`,
  );
  process.exit(1);
}

// The repository runs its source; the published package contains only the build.
const source = new URL('../src/main.ts', import.meta.url);
const built = new URL('../dist/main.js', import.meta.url);
import((existsSync(source) ? source : built).href);
