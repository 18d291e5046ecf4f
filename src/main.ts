import cluster from 'node:cluster';
import { readFileSync } from 'node:fs';
import { WORKER_COMMAND } from './cluster/messages.ts';
import { runWorker } from './cluster/worker.ts';
import {
  describeSettings,
  printSchema,
  readArguments,
  type Started,
  startEmbeddedCommand,
  startGatewayCommand,
  USAGE,
} from './commands.ts';
import { startCheckCommand, startProbeCommand } from './probe/command.ts';

async function main(): Promise<void> {
  // Only the gateway itself starts it, with WORKERS.
  if (cluster.isWorker && process.argv[2] === WORKER_COMMAND) return runWorker();
  const request = readArguments(process.argv.slice(2));
  switch (request.command) {
    case 'help':
      return say(USAGE);
    case 'version':
      return say(readVersion());
    case 'profile':
      return sayProfile();
    case 'probe':
      process.exitCode = await startProbeCommand(request.words, process.env, process);
      return;
    case 'check':
      process.exitCode = await startCheckCommand(request.words, process.env, process);
      return;
    case 'schema':
      return say(printSchema({ federation: request.federation }));
    case 'gateway':
      return run(startGatewayCommand(process.env));
    case 'embedded':
      return run(startEmbeddedCommand(process.env, request.words));
  }
}

/** The package has this file beside `src` and beside `dist`. */
const readVersion = (): string =>
  JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version;

function sayProfile(): void {
  const { lines, warnings } = describeSettings(process.env);
  for (const warning of warnings) process.stderr.write(`${warning}\n`);
  say(...lines);
}

async function run(starting: Promise<Started>): Promise<void> {
  stopOnSignals(starting);
  say(...(await starting).lines);
}

/** Ctrl-C signals the gateway and npm, and npm passes the signal on: one key press arrives twice. Unit: milliseconds. */
const ECHO_MS = 50;

/** When the first signal came; null: none has come. */
let stoppingSince: number | null = null;

/** The first signal stops gracefully, with status 0; a second one exits at once, with status 1. */
function stopOnSignals(starting: Promise<Started>): void {
  const stop = async () => {
    const now = performance.now();
    if (stoppingSince !== null) {
      if (now - stoppingSince > ECHO_MS) process.exit(1);
      return;
    }
    stoppingSince = now;
    const started = await starting;
    await started.stop();
    process.exit(0);
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

function say(...lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** What to do if the server cannot listen, by error code. */
const ADVICE: Readonly<Record<string, string>> = {
  EADDRINUSE: 'set PORT to a free port, or to 0 for any free port.',
  EACCES: 'set PORT to a port that this user may listen on, usually above 1023.',
  EADDRNOTAVAIL: 'set HOST to an address of this machine.',
  EINVAL: 'set HOST to an address of this machine.',
  ENOTFOUND: 'set HOST to an address of this machine.',
};

function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'syscall' in error && 'code' in error ? String(error.code) : '';
  const advice = ADVICE[code];
  return advice === undefined ? error.message : `${error.message}: ${advice}`;
}

try {
  await main();
} catch (error) {
  // A signal to all processes has ended a worker that was still starting.
  if (stoppingSince !== null) process.exit(0);
  // Without the stack: most errors are wrong settings or arguments, and the text says how to fix them.
  process.stderr.write(`${describeError(error)}\n`);
  process.exit(1); // An embedded service that is already running would keep the process alive.
}
