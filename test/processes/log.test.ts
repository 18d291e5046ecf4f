import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { run } from '../support/command.ts';

/** Passes one line from each of two streams at the same time, and then waits without logging any more. */
const SCRIPT = `
import { PassThrough } from 'node:stream';
import { createLog } from '${resolve('src/telemetry/log.ts')}';
const log = createLog('info');
for (const name of ['one', 'other']) {
  const stream = new PassThrough();
  log.pass(stream);
  stream.write(name + '\\n');
}
setInterval(() => {}, 1000);
`;

test('a line that comes while another one is written needs no third one to be written', async () => {
  await using script = run(['--input-type=module', '--eval', SCRIPT]);

  await expect.poll(() => script.lines).toEqual(['one', 'other']);
});
