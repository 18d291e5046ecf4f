import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { preload } from '../support/command.ts';
import { startScriptedProcess } from '../support/gateway-process.ts';
import { serve } from '../support/http.ts';

const MESSAGE = 'query Look { message(id: "m1") { message } }';

test('the SDK of deploy/ sends the spans to a collector', async () => {
  let sent = '';
  await using collector = await serve(async (request, response) => {
    sent += Buffer.concat(await request.toArray());
    response.end();
  });
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
  const sdk = ['--import', resolve('deploy/tracing.js')];
  await using gateway = await startScriptedProcess(undefined, env, sdk);

  await gateway.ask(MESSAGE);

  await expect
    .poll(() => sent)
    .toMatch(/GET \/v1\/messages\/:id[\s\S]*graphql\.operation\.type/);
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
