import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { preload } from '../support/command.ts';
import { startScriptedProcess } from '../support/gateway-process.ts';

const MESSAGE = 'query Look { message(id: "m1") { message } }';

test('the SDK of the example collects the spans', async () => {
  await using gateway = await startScriptedProcess(undefined, {}, [
    '--import',
    resolve('examples/tracing.ts'),
  ]);

  await gateway.ask(MESSAGE);

  await expect
    .poll(() => gateway.lines.join('\n'))
    .toMatch(/name: 'GET \/v1\/messages\/:id'[\s\S]*name: 'query'/);
});

/** Loaded before the gateway: hides @opentelemetry/api, except from prom-client, which brings its own. */
const NO_API = preload(`
  import { registerHooks } from 'node:module';
  registerHooks({
    resolve(specifier, context, next) {
      const isOurs = !context.parentURL?.includes('/node_modules/');
      if (specifier !== '@opentelemetry/api' || !isOurs) return next(specifier, context);
      throw Object.assign(new Error('none'), { code: 'ERR_MODULE_NOT_FOUND' });
    },
  });
`);

test('without @opentelemetry/api everything else works', async () => {
  await using gateway = await startScriptedProcess(undefined, {}, NO_API);

  const { data, errors } = await gateway.ask(MESSAGE);

  expect(errors).toBeUndefined();
  expect(data).toEqual({ message: { message: 'text m1' } });
  expect(gateway.errors).toEqual([]);
});
