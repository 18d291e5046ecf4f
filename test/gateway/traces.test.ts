import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Server } from 'node:http';
import {
  type Context,
  context,
  propagation,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { isTracingSuppressed, W3CTraceContextPropagator } from '@opentelemetry/core';
import {
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { afterEach, expect, test } from 'vitest';
import { run, toAddress } from '../support/command.ts';
import { startTestGateway } from '../support/gateway.ts';
import { answering, startUpstream } from '../support/upstream.ts';
import { wireMessage } from '../support/wire.ts';

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const TRACEPARENT = `00-${TRACE_ID}-b7ad6b7169203331-01`;
const MESSAGE = 'query Look { message(id: "m1") { message } }';

/** An SDK as an operator sets it up before the gateway starts; it keeps its spans. */
function setUpSdk() {
  const exporter = new InMemorySpanExporter();
  const spanProcessors = [new SimpleSpanProcessor({ exporter })];
  trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors }));
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  return () => exporter.getFinishedSpans();
}

afterEach(() => {
  trace.disable();
  context.disable();
  propagation.disable();
});

/** What an instrumentation of HTTP servers does: each request is handled in the context of its span. */
function handlingRequestsIn(span: Context): Disposable {
  const { emit } = Server.prototype;
  Server.prototype.emit = function (this: Server, ...event: [string, ...unknown[]]) {
    const handle = () => Reflect.apply(emit, this, event);
    return event[0] === 'request' ? context.with(span, handle) : handle();
  } as typeof emit;
  return {
    [Symbol.dispose]() {
      Server.prototype.emit = emit;
    },
  };
}

const ofKind = (spans: ReadableSpan[], kind: SpanKind): ReadableSpan[] =>
  spans.filter((span) => span.kind === kind);

test('an operation and its calls are spans of one trace, with closed names', async () => {
  const spans = setUpSdk();
  await using upstream = await startUpstream({
    'GET /v1/messages/m1': wireMessage('m1'),
  });
  await using gateway = await startTestGateway(upstream.url);

  await gateway.ask(MESSAGE);

  const [operation] = ofKind(spans(), SpanKind.SERVER);
  const [call] = ofKind(spans(), SpanKind.CLIENT);
  expect(spans()).toHaveLength(2);
  expect(operation).toMatchObject({
    name: 'query',
    attributes: { 'graphql.operation.type': 'query', 'graphql.operation.name': 'Look' },
    status: { code: SpanStatusCode.UNSET },
  });
  expect(call?.name).toBe('GET /v1/messages/:id');
  expect(call?.attributes).toEqual({
    'http.request.method': 'GET',
    'url.template': '/v1/messages/:id',
    'http.response.status_code': 200,
  });
  expect(call?.parentSpanContext?.spanId).toBe(operation?.spanContext().spanId);
});

test("the client's traceparent is taken up, and passed on to the service", async () => {
  const spans = setUpSdk();
  await using upstream = await startUpstream({
    'GET /v1/messages/m1': wireMessage('m1'),
  });
  await using gateway = await startTestGateway(upstream.url);

  await gateway.ask(MESSAGE, { headers: { traceparent: TRACEPARENT } });

  const [call] = ofKind(spans(), SpanKind.CLIENT);
  const [operation] = ofKind(spans(), SpanKind.SERVER);
  expect(operation?.parentSpanContext?.spanId).toBe('b7ad6b7169203331');
  expect(upstream.headers.map(({ traceparent }) => traceparent)).toEqual([
    `00-${TRACE_ID}-${call?.spanContext().spanId}-01`,
  ]);
});

test('where the HTTP server is traced too, its span is the parent', async () => {
  const spans = setUpSdk();
  await using upstream = await startUpstream({
    'GET /v1/messages/m1': wireMessage('m1'),
  });
  await using gateway = await startTestGateway(upstream.url);
  const server = trace.getTracer('http').startSpan('POST');
  using _tracing = handlingRequestsIn(trace.setSpan(context.active(), server));

  await gateway.ask(MESSAGE, { headers: { traceparent: TRACEPARENT } });

  const [operation] = ofKind(spans(), SpanKind.INTERNAL);
  expect(operation?.parentSpanContext?.spanId).toBe(server.spanContext().spanId);
});

test('a retry is a span of its own, and what failed says how', async () => {
  const spans = setUpSdk();
  await using upstream = await startUpstream({
    'GET /v1/messages/m1': [answering({ status: 503 }), answering({ broken: 'before' })],
  });
  await using gateway = await startTestGateway(upstream.url, { REST_RETRIES: '1' });

  await gateway.ask(MESSAGE);

  const calls = ofKind(spans(), SpanKind.CLIENT);
  expect(calls.map(({ attributes, status }) => ({ ...attributes, ...status }))).toEqual([
    expect.objectContaining({
      'http.response.status_code': 503,
      'error.type': '503',
      code: SpanStatusCode.ERROR,
    }),
    expect.objectContaining({
      'http.request.resend_count': 1,
      'error.type': 'unreachable',
      code: SpanStatusCode.ERROR,
    }),
  ]);
  expect(new Set(upstream.headers.map(({ traceparent }) => traceparent)).size).toBe(2);
  expect(ofKind(spans(), SpanKind.SERVER)[0]).toMatchObject({
    attributes: { 'error.type': 'UPSTREAM_UNREACHABLE' },
    status: { code: SpanStatusCode.ERROR },
  });
});

test('no span tells a token, an id or a variable', async () => {
  const spans = setUpSdk();
  await using upstream = await startUpstream(() => ({ status: 400, body: 's3cret' }));
  await using gateway = await startTestGateway(upstream.url);

  await gateway.ask('query By_s3cret($id: ID!) { message(id: $id) { message } }', {
    token: 's3cret',
    variables: { id: 'private-id' },
  });

  const told = JSON.stringify(
    spans().map(({ name, attributes, status, events }) => [
      name,
      attributes,
      status,
      events,
    ]),
  );
  expect(told).toContain('By_[redacted]');
  expect(told).not.toMatch(/s3cret|private-id/);
});

test('the HTTP client is hidden from other instrumentations: two traceparents are none', async () => {
  setUpSdk();
  const suppressed: boolean[] = [];
  // Where an instrumentation of undici would add its own.
  const onRequest = () => suppressed.push(isTracingSuppressed(context.active()));
  subscribe('undici:request:create', onRequest);
  await using upstream = await startUpstream({
    'GET /v1/messages/m1': wireMessage('m1'),
  });
  await using gateway = await startTestGateway(upstream.url);

  await gateway.ask(MESSAGE);
  unsubscribe('undici:request:create', onRequest);

  expect(suppressed).toContain(true);
});

test('without an SDK no traceparent is sent', async () => {
  await using upstream = await startUpstream({
    'GET /v1/messages/m1': wireMessage('m1'),
  });
  await using gateway = await startTestGateway(upstream.url);

  await gateway.ask(MESSAGE, { headers: { traceparent: TRACEPARENT } });

  expect(upstream.headers.map(({ traceparent }) => traceparent)).toEqual([undefined]);
});

test('the example of an SDK collects them', async () => {
  await using gateway = run([
    '--import',
    './examples/tracing.ts',
    'bin/messaging-graphql.js',
  ]);
  const url = toAddress(await gateway.first());

  await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: 'Bearer ada-sample-token',
    },
    body: JSON.stringify({ query: MESSAGE }),
  });

  await expect
    .poll(() => gateway.lines.join('\n'), { timeout: 4000 })
    .toMatch(/name: 'GET \/v1\/messages\/:id'[\s\S]*name: 'query'/);
}, 10_000);

/** Loaded before the gateway: there is no api package, save for the one that prom-client brings for itself. */
const NO_API = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  registerHooks({
    resolve(specifier, context, next) {
      const isOurs = !context.parentURL?.includes('/node_modules/');
      if (specifier !== '@opentelemetry/api' || !isOurs) return next(specifier, context);
      throw Object.assign(new Error('none'), { code: 'ERR_MODULE_NOT_FOUND' });
    },
  });
`)}`;

test('without the api package everything else works', async () => {
  await using upstream = await startUpstream({
    'GET /v1/messages/m1': wireMessage('m1'),
  });
  await using gateway = run(['--import', NO_API, 'bin/messaging-graphql.js'], {
    MESSAGING_URL: upstream.url,
  });
  const url = toAddress(await gateway.first());

  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer t' },
    body: JSON.stringify({ query: MESSAGE }),
  });

  expect(await response.json()).toEqual({ data: { message: { message: 'text m1' } } });
  expect(gateway.errors).toEqual([]);
});
