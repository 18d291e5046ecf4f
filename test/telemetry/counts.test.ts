import { Counter, Histogram, Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { registerCollected } from '../../src/telemetry/collected.ts';
import { createCounter, registerHistogram } from '../../src/telemetry/counts.ts';

const ROUTES = ['/v1/messages', '/v1/messages/:id', 'a "quoted"\nname'];
const METHODS = ['GET', 'POST'];

test("a counter's text is what the library writes of the same counts", async () => {
  const described = { name: 'calls', help: 'Calls.', labelNames: ['method', 'route'] };
  const ours = new Registry();
  const theirs = new Registry();
  const counter = createCounter(described);
  const expected = new Counter({ ...described, registers: [theirs] });
  await registerCollected(ours, counter.metric);

  const before = [await ours.metrics(), await theirs.metrics()];
  for (const [i, route] of ROUTES.entries()) {
    for (const method of i === 0 ? METHODS : ['GET']) {
      for (let n = 0; n <= i; n += 1) {
        counter.increment(method, route);
        expected.inc({ method, route });
      }
    }
  }

  expect(before[0]).toBe(before[1]);
  expect(await ours.metrics()).toBe(await theirs.metrics());
  // Asking must not change the counts.
  expect(await ours.metrics()).toBe(await theirs.metrics());
  expect(await ours.metrics()).toContain(
    'calls{method="GET",route="/v1/messages/:id"} 2',
  );
});

test("a histogram's text is what the library writes of the same values", async () => {
  const described = { name: 'seconds', help: 'Time.', labelNames: ['method', 'route'] };
  const bounds = [0.001, 0.01, 0.5, 1, 30];
  const ours = new Registry();
  const theirs = new Registry();
  const histogram = registerHistogram(ours, { ...described, bounds });
  const expected = new Histogram({ ...described, buckets: bounds, registers: [theirs] });

  const before = [await ours.metrics(), await theirs.metrics()];
  // On a bound, between bounds, above the last.
  const values = [0, 0.001, 0.0011, 0.25, 0.5, 1, 7, 30, 30.5, 1000];
  for (const [i, value] of [...values, ...values].entries()) {
    const route = ROUTES[i % ROUTES.length] ?? '';
    const method = METHODS[i % METHODS.length] ?? '';
    histogram.observe(value, method, route);
    expected.observe({ method, route }, value);
  }

  expect(before[0]).toBe(before[1]);
  expect(await ours.metrics()).toBe(await theirs.metrics());
});
