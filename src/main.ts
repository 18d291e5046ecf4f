import { parseArgs } from 'node:util';
import {
  type Started,
  startEmbeddedCommand,
  startGatewayCommand,
  USAGE,
} from './commands.ts';
import { startProbeCommand } from './probe/command.ts';

async function main(): Promise<void> {
  const [command, ...words] = process.argv.slice(2);
  // The probe reads its own arguments: no error may repeat one, which could be a token.
  if (command === 'probe') {
    process.exitCode = await startProbeCommand(words, process.env, process);
    return;
  }
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

/** The first signal ends gracefully, with status 0; a second one at once. */
function stopOnSignals(starting: Promise<Started>): void {
  let stopping = false;
  const stop = async () => {
    if (stopping) process.exit(1);
    stopping = true;
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

/** What may be wrong with where to listen, and known only by trying. */
const LISTENING: Readonly<Record<string, string>> = {
  EADDRINUSE: 'set PORT to another, or to 0 for any.',
  EACCES: 'PORT takes one that this user may listen on, above 1023 as a rule.',
  EADDRNOTAVAIL: 'HOST names no address of this machine.',
  EINVAL: 'HOST names no address of this machine.',
  ENOTFOUND: 'HOST names no address of this machine.',
};

/** The mistakes everybody makes once, in words; the others have words of their own. */
function toSentence(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'syscall' in error && 'code' in error ? String(error.code) : '';
  const advice = LISTENING[code];
  return advice === undefined ? error.message : `${error.message}: ${advice}`;
}

try {
  await main();
} catch (error) {
  // Settings, arguments, a port in use: the text says what to mend, the stack would hide it.
  process.stderr.write(`${toSentence(error)}\n`);
  process.exit(1); // the embedded service may be running already
}
