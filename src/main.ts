import cluster from 'node:cluster';
import { parseArgs } from 'node:util';
import { WORKER_COMMAND } from './cluster/messages.ts';
import {
  printSchemaCommand,
  type Started,
  startEmbeddedCommand,
  startGatewayCommand,
  startWorkerCommand,
  USAGE,
} from './commands.ts';
import { startProbeCommand } from './probe/command.ts';

async function main(): Promise<void> {
  const [command, ...words] = process.argv.slice(2);
  // The probe parses its own arguments: one of them could be a token, so its errors never repeat them.
  if (command === 'probe') {
    process.exitCode = await startProbeCommand(words, process.env, process);
    return;
  }
  // Only the gateway itself starts it, with WORKERS.
  if (command === WORKER_COMMAND && cluster.isWorker) return startWorkerCommand();
  if (command === 'schema') return say(printSchemaCommand(words));
  const { values, positionals } = parseArgs({
    options: { help: { type: 'boolean', short: 'h' }, profile: { type: 'boolean' } },
    allowPositionals: true,
  });
  if (values.help) return say(USAGE);
  const starting = start(positionals, values.profile === true);
  stopOnSignals(starting);
  say(...(await starting).lines);
}

function start([command, ...words]: string[], withProfile: boolean): Promise<Started> {
  if (command === undefined) return startGatewayCommand(process.env, { withProfile });
  if (command === 'embedded') return startEmbeddedCommand(process.env, words);
  throw new Error(`There is no command "${command}".\n${USAGE}`);
}

/** Ctrl-C signals the gateway and npm, and npm passes the signal on: one key press arrives twice. Unit: milliseconds. */
const ECHO_MS = 50;

/** The first signal stops gracefully, with status 0; a second one exits at once, with status 1. */
function stopOnSignals(starting: Promise<Started>): void {
  let stoppingSince: number | null = null;
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
  // Without the stack: most errors are wrong settings or arguments, and the text says how to fix them.
  process.stderr.write(`${describeError(error)}\n`);
  process.exit(1); // An embedded service that is already running would keep the process alive.
}
