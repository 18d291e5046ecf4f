import { parseArgs } from 'node:util';
import {
  type Started,
  startEmbeddedCommand,
  startGatewayCommand,
  USAGE,
} from './commands.ts';

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { help: { type: 'boolean', short: 'h' } },
    allowPositionals: true,
  });
  if (values.help) return say(USAGE);
  const started = await start(positionals);
  say(...started.lines);
  stopOnSignals(started);
}

function start([command, ...words]: string[]): Promise<Started> {
  if (command === undefined) return startGatewayCommand(process.env);
  if (command === 'embedded') return startEmbeddedCommand(process.env, words);
  throw new Error(`There is no command "${command}".\n${USAGE}`);
}

/** The first signal ends gracefully, with status 0; a second one at once. */
function stopOnSignals(started: Started): void {
  let stopping = false;
  const stop = async () => {
    if (stopping) process.exit(1);
    stopping = true;
    await started.stop();
    process.exit(0);
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

function say(...lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}

try {
  await main();
} catch (error) {
  // Settings, arguments, a port in use: the text says what to mend, the stack would hide it.
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exit(1); // the embedded service may be running already
}
