import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Server } from 'node:http';
import {
  type Context,
  type ContextManager,
  context,
  propagation,
  SpanKind,
  SpanStatusCode,
  type TextMapPropagator,
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
import { startGateway } from '../../src/gateway.ts';
import { VERSION } from '../../src/rest/user-agent.ts';
import { type AskOptions, ask as send, startScripted } from '../support/gateway.ts';
import { answering, type Script, startUpstream } from '../support/upstream.ts';
import { wireMessage } from '../support/wire.ts';

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const TRACEPARENT = `00-${TRACE_ID}-b7ad6b7169203331-01`;
const MESSAGE = 'query Look { message(id: "m1") { message } }';

/** Sets up an SDK that keeps its spans, as an operator does before the gateway starts. */
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

/** Handles each request in the context of a span, as an instrumentation of HTTP servers does. */
function handleRequestsIn(span: Context): Disposable {
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

const SERVICE = { 'GET /v1/messages/m1': wireMessage('m1') };

/** Sends an operation, and returns the traceparent of each call that the service received. */
async function ask(options?: AskOptions, script: Script = SERVICE, query = MESSAGE) {
  await using gateway = await startScripted(script, { REST_RETRIES: '1' });
  await gateway.ask(query, options);
  return gateway.service.headers.map(({ traceparent }) => traceparent);
}

const ofKind = (spans: ReadableSpan[], kind: SpanKind): ReadableSpan[] =>
  spans.filter((span) => span.kind === kind);

test('an operation and its calls are spans of one trace, named without ids', async () => {
  const spans = setUpSdk();

  await ask();

  const [operation] = ofKind(spans(), SpanKind.SERVER);
  const [call] = ofKind(spans(), SpanKind.CLIENT);
  expect(spans()).toHaveLength(2);
  expect(operation).toMatchObject({
    name: 'query',
    attributes: { 'graphql.operation.type': 'query', 'graphql.operation.name': 'Look' },
    status: { code: SpanStatusCode.UNSET },
    instrumentationScope: { name: 'messaging-graphql', version: VERSION },
  });
  expect(call?.name).toBe('GET /v1/messages/:id');
  expect(call?.attributes).toEqual({
    'http.request.method': 'GET',
    'url.template': '/v1/messages/:id',
    'http.response.status_code': 200,
  });
  expect(call?.parentSpanContext?.spanId).toBe(operation?.spanContext().spanId);
});

test('a line about a failed call has the ids of its operation', async () => {
  setUpSdk();
  const lines: object[] = [];
  const keep = (line: object) => lines.push(line);
  await using service = await startUpstream(answering({ status: 500 }));
  await using gateway = await startGateway({
    messagingUrl: service.url,
    port: 0,
    logger: { info: keep, warn: keep, error: keep, debug() {} },
  });

  const headers = { traceparent: TRACEPARENT, 'x-request-id': 'r1' };
  await send(gateway.url, MESSAGE, { headers });

  const ids = { requestId: 'r1', traceId: TRACE_ID };
  expect(lines).toMatchObject([{ ...ids, status: 500 }, ids]);
});

test("the client's traceparent is continued to the service", async () => {
  const spans = setUpSdk();

  const traceparents = await ask({ headers: { traceparent: TRACEPARENT } });

  const [call] = ofKind(spans(), SpanKind.CLIENT);
  const [operation] = ofKind(spans(), SpanKind.SERVER);
  expect(operation?.parentSpanContext?.spanId).toBe('b7ad6b7169203331');
  expect(traceparents).toEqual([`00-${TRACE_ID}-${call?.spanContext().spanId}-01`]);
});

test('if the HTTP server is traced too, its span is the parent', async () => {
  const spans = setUpSdk();
  const server = trace.getTracer('http').startSpan('POST');
  using _tracing = handleRequestsIn(trace.setSpan(context.active(), server));

  await ask({ headers: { traceparent: TRACEPARENT } });

  const [operation] = ofKind(spans(), SpanKind.INTERNAL);
  expect(operation?.parentSpanContext?.spanId).toBe(server.spanContext().spanId);
});

test('each retry is a span of its own, and each failed span names its error', async () => {
  const spans = setUpSdk();

  const traceparents = await ask(
    {},
    {
      'GET /v1/messages/m1': [
        answering({ status: 503 }),
        answering({ broken: 'before' }),
      ],
    },
  );

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
  expect(new Set(traceparents).size).toBe(2);
  expect(ofKind(spans(), SpanKind.SERVER)[0]).toMatchObject({
    attributes: { 'error.type': 'UPSTREAM_UNREACHABLE' },
    status: { code: SpanStatusCode.ERROR },
  });
});

test('no span contains a token, an id or a variable', async () => {
  const spans = setUpSdk();

  await ask(
    { token: 's3cret', variables: { id: 'private-id' } },
    answering({ status: 400, body: 's3cret' }),
    'query By_s3cret($id: ID!) { message(id: $id) { message } }',
  );

  const texts = JSON.stringify(
    spans().map(({ name, attributes, status, events }) => [
      name,
      attributes,
      status,
      events,
    ]),
  );
  expect(texts).toContain('By_[redacted]');
  expect(texts).not.toMatch(/s3cret|private-id/);
});

test('other instrumentations do not trace the calls again', async () => {
  setUpSdk();
  const suppressed: boolean[] = [];
  // An instrumentation of undici would start its spans here.
  const onRequest = () => suppressed.push(isTracingSuppressed(context.active()));
  subscribe('undici:request:create', onRequest);

  await ask();
  unsubscribe('undici:request:create', onRequest);

  expect(suppressed).toContain(true);
});

const fail = () => {
  throw new Error('the tracer is broken');
};
const WORKING_PROCESSOR = {
  onStart() {},
  onEnd() {},
  forceFlush: async () => {},
  shutdown: async () => {},
};
const WORKING_PROPAGATOR = {
  inject() {},
  extract: (from: Context) => from,
  fields: () => [],
};
const broken = (processor: object) =>
  new TracerProvider({ spanProcessors: [{ ...WORKING_PROCESSOR, ...processor }] });
const contexts = (change: object) =>
  Object.assign(new AsyncLocalStorageContextManager().enable(), change);

test.each([
  ['at the start of a span', { provider: { getTracer: () => ({ startSpan: fail }) } }],
  ['as a span is processed', { provider: broken({ onStart: fail }) }],
  ['at the end of a span', { provider: broken({ onEnd: fail }) }],
  ['as headers are read', { propagator: { ...WORKING_PROPAGATOR, extract: fail } }],
  ['as headers are written', { propagator: { ...WORKING_PROPAGATOR, inject: fail } }],
  ['as a context is entered', { manager: contexts({ with: fail }) }],
  ['as a context is read', { manager: contexts({ active: fail }) }],
])(
  'a tracer that fails %s changes no answer and keeps no connection',
  async (_, {
    provider = broken({}),
    propagator = WORKING_PROPAGATOR,
    manager = contexts({}),
  }: {
    provider?: object;
    propagator?: TextMapPropagator;
    manager?: ContextManager;
  }) => {
    trace.setGlobalTracerProvider(provider as TracerProvider);
    context.setGlobalContextManager(manager);
    propagation.setGlobalPropagator(propagator);
    await using gateway = await startScripted(SERVICE, { REST_CONNECTIONS: '1' });

    for (let time = 0; time < 3; time += 1) {
      const { status, data } = await gateway.ask(MESSAGE);
      expect({ status, data }).toEqual({
        status: 200,
        data: { message: { message: 'text m1' } },
      });
    }

    expect(gateway.service.calls).toHaveLength(3);
  },
);

test('without an SDK no traceparent is sent', async () => {
  const traceparents = await ask({ headers: { traceparent: TRACEPARENT } });

  expect(traceparents).toEqual([undefined]);
});
