// What `import 'messaging-graphql'` loads. It imports the library only after the check: an old Node could not even parse that.
import { existsSync } from 'node:fs';
import tooOld from './too-old.cjs';

if (tooOld !== null) throw new Error(tooOld);

// The repository runs its source; the published package contains only the build.
const source = new URL('../src/gateway.ts', import.meta.url);
const built = new URL('../dist/library/gateway.js', import.meta.url);

export const {
  ConfigError,
  createGateway,
  loadConfig,
  printSchema,
  startEmbeddedService,
  startGateway,
} = await import((existsSync(source) ? source : built).href);
