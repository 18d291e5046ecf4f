import cluster from 'node:cluster';
import { readArguments, USAGE } from './arguments.ts';
import { WORKER_COMMAND } from './cluster/messages.ts';
import type { Profile, Started } from './commands.ts';

/** Each command loads only what it needs: all of it takes half a second. */
async function main(): Promise<void> {
  // Only the gateway itself starts it, with WORKERS.
  if (cluster.isWorker && process.argv[2] === WORKER_COMMAND)
    return (await import('./cluster/worker.ts')).runWorker();
  const request = readArguments(process.argv.slice(2));
  switch (request.command) {
    case 'help':
      return say(USAGE);
    case 'version':
      return say((await import('./rest/user-agent.ts')).VERSION);
    case 'profile':
      return sayProfile((await import('./commands.ts')).describeSettings(process.env));
    case 'probe':
    case 'check': {
      const { startCheckCommand, startProbeCommand } = await import('./probe/command.ts');
      const start = request.command === 'probe' ? startProbeCommand : startCheckCommand;
      process.exitCode = await start(request.words, process.env, process);
      return;
    }
    case 'explain': {
      const { startExplainCommand } = await import('./explain/command.ts');
      process.exitCode = await startExplainCommand(request.words, process.env, process);
      return;
    }
    case 'schema': {
      const { printSchema } = await import('./resolvers/schema-text.ts');
      return say(printSchema({ federation: request.federation }));
    }
    case 'gateway':
      return run((await import('./commands.ts')).startGatewayCommand(process.env));
    case 'embedded': {
      const { startEmbeddedCommand } = await import('./commands.ts');
      return run(startEmbeddedCommand(process.env, request.words));
    }
  }
}

function sayProfile({ lines, warnings }: Profile): void {
  for (const warning of warnings) process.stderr.write(`${warning}\n`);
  say(...lines);
}

async function run(starting: Promise<Started>): Promise<void> {
  stopOnSignals(starting);
  let isAsked = false;
  const note = () => {
    isAsked = true;
  };
  // During the start, SIGHUP would end the process.
  process.on('SIGHUP', note);
  const { lines, reload } = await starting;
  if (reload !== undefined) process.on('SIGHUP', reload);
  process.off('SIGHUP', note);
  if (isAsked) process.kill(process.pid, 'SIGHUP');
  say(...lines);
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
