import { Counter, Histogram, Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { registerCounter, registerHistogram } from '../../src/telemetry/counts.ts';
import { METRICS, type MetricName } from '../../src/telemetry/metric-table.ts';

const ROUTES = ['/v1/messages', '/v1/messages/:id', 'a "quoted"\nname'];
const METHODS = ['GET', 'POST'];

/** A registry of ours, and one of the library, with what describes the same metric there. */
function createRegistries(name: MetricName) {
  const theirs = new Registry();
  const { help, labels } = METRICS[name];
  const described = { name, help, labelNames: labels, registers: [theirs] };
  return { ours: new Registry(), theirs, described };
}

test("a counter's text is what the library writes of the same counts", async () => {
  const { ours, theirs, described } = createRegistries('gateway_rest_retries_total');
  const increment = registerCounter(ours, 'gateway_rest_retries_total');
  const expected = new Counter(described);

  const before = [await ours.metrics(), await theirs.metrics()];
  for (const [i, route] of ROUTES.entries()) {
    for (const method of i === 0 ? METHODS : ['GET']) {
      for (let n = 0; n <= i; n += 1) {
        increment(method, route);
        expected.inc({ method, route });
      }
    }
  }

  expect(before[0]).toBe(before[1]);
  expect(await ours.metrics()).toBe(await theirs.metrics());
  // Asking must not change the counts.
  expect(await ours.metrics()).toBe(await theirs.metrics());
  expect(await ours.metrics()).toContain('{method="GET",route="/v1/messages/:id"} 2');
});

test("a histogram's text is what the library writes of the same values", async () => {
  const name = 'gateway_rest_call_duration_seconds';
  const { ours, theirs, described } = createRegistries(name);
  const buckets = [0.001, 0.01, 0.5, 1, 30];
  const observe = registerHistogram(ours, name, buckets);
  const expected = new Histogram({ ...described, buckets });

  const before = [await ours.metrics(), await theirs.metrics()];
  // On a bound, between bounds, above the last.
  const values = [0, 0.001, 0.0011, 0.25, 0.5, 1, 7, 30, 30.5, 1000];
  for (const [i, value] of [...values, ...values].entries()) {
    const route = ROUTES[i % ROUTES.length] ?? '';
    const method = METHODS[i % METHODS.length] ?? '';
    observe(value, method, route);
    expected.observe({ method, route }, value);
  }

  expect(before[0]).toBe(before[1]);
  expect(await ours.metrics()).toBe(await theirs.metrics());
});
