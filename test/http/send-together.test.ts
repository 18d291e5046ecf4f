import { fastify } from 'fastify';
import { expect, test } from 'vitest';
import { createTogether, sendTogether } from '../../src/http/send-together.ts';

test('answers that are made in one phase of the event loop are sent together, at its end', async () => {
  const app = fastify();
  const steps: string[] = [];
  sendTogether(app, createTogether());
  app.addHook('onSend', (_request, _reply, payload, done) => {
    steps.push(`sent ${payload}`);
    done(null, payload);
  });
  app.get('/:name', async ({ url }) => {
    // The second takes longer, but no other phase.
    for (let left = url === '/second' ? 20 : 0; left > 0; left -= 1) await null;
    steps.push(`made ${url}`);
    return url;
  });

  const answers = await Promise.all([app.inject('/first'), app.inject('/second')]);

  expect(answers.map(({ body }) => body)).toEqual(['/first', '/second']);
  expect(steps).toEqual(['made /first', 'made /second', 'sent /first', 'sent /second']);
});

test('an answer that cannot be sent does not keep back the others of its phase', async () => {
  const app = fastify();
  sendTogether(app, createTogether());
  app.addHook('onSend', (request, _reply, payload, done) => {
    if (request.url === '/first') throw new Error('not this one');
    done(null, payload);
  });
  app.get('/:name', async ({ url }) => url);

  const answers = await Promise.all([app.inject('/first'), app.inject('/second')]);

  expect(answers.map(({ statusCode }) => statusCode)).toEqual([500, 200]);
});
