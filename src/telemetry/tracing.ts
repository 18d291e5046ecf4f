import type { IncomingHttpHeaders } from 'node:http';
import type * as Api from '@opentelemetry/api';
import type { Call, CallOutcome } from '../rest/errors.ts';
import { VERSION } from '../rest/user-agent.ts';
import type { OperationResult } from './metrics.ts';

export type Tracing = NonNullable<Awaited<ReturnType<typeof loadTracing>>>;
export type OperationTrace = ReturnType<typeof beginOperation>;
export type CallTrace = ReturnType<typeof beginCall>;

const NAME = 'messaging-graphql';

/**
 * Traces for OpenTelemetry, if the application has set up an SDK that collects them. No method throws: where the application's
 * tracer fails, there is no trace. Null without an SDK, or without the optional package `@opentelemetry/api`: then traces cost
 * nothing.
 */
export async function loadTracing() {
  const api = await import('@opentelemetry/api').catch(nullIfMissing);
  if (api === null || !hasSdk(api)) return null;
  const tracer = api.trace.getTracer(NAME, VERSION);
  return {
    beginOperation: (headers: IncomingHttpHeaders): OperationTrace | null =>
      guard(api, () => beginOperation(api, tracer, headers)),
  };
}

/** Returns null if the tracer fails. The application learns of it by OpenTelemetry's own log. */
function guard<T>(api: typeof Api, trace: () => T): T | null {
  try {
    return trace();
  } catch (error) {
    api.diag.error(`${NAME}: a trace was lost`, error);
    return null;
  }
}

function nullIfMissing(error: unknown): null {
  if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND')
    return null;
  throw error;
}

/** Without an SDK, the api returns a provider that drops all spans. */
function hasSdk({ trace, ProxyTracerProvider }: typeof Api): boolean {
  const provider = trace.getTracerProvider();
  return (
    !(provider instanceof ProxyTracerProvider) ||
    provider.getDelegateTracer(NAME) !== undefined
  );
}

function beginOperation(
  api: typeof Api,
  tracer: Api.Tracer,
  headers: IncomingHttpHeaders,
) {
  const active = api.context.active();
  // If the HTTP server is traced too, its span has already used the client's `traceparent`.
  const isInside = api.trace.getSpan(active) !== undefined;
  const parent = isInside ? active : api.propagation.extract(active, headers);
  const kind = isInside ? api.SpanKind.INTERNAL : api.SpanKind.SERVER;
  const span = tracer.startSpan('GraphQL Operation', { kind }, parent);
  const context = api.trace.setSpan(parent, span);
  return {
    traceId: span.spanContext().traceId,
    beginCall: (call: Call, attempt: number): CallTrace | null =>
      guard(api, () => beginCall({ api, tracer, context }, call, attempt)),
    end({ type, name, codes }: OperationResult): void {
      guard(api, () => {
        if (type !== null) {
          span.updateName(type);
          span.setAttribute('graphql.operation.type', type);
        }
        if (name !== null) span.setAttribute('graphql.operation.name', name);
        if (codes.length > 0) {
          span.setAttribute('error.type', codes.join(','));
          span.setStatus({ code: api.SpanStatusCode.ERROR });
        }
        span.end();
      });
    },
  };
}

function beginCall(
  { api, tracer, context }: { api: typeof Api; tracer: Api.Tracer; context: Api.Context },
  { method, route }: Call,
  attempt: number,
) {
  const span = tracer.startSpan(
    `${method} ${route}`,
    {
      kind: api.SpanKind.CLIENT,
      attributes: {
        'http.request.method': method,
        'url.template': route,
        ...(attempt > 0 && { 'http.request.resend_count': attempt }),
      },
    },
    context,
  );
  return {
    /** Sends the call as part of this trace, with headers such as `traceparent`. */
    run(send: (headers: Readonly<Record<string, string>>) => void): void {
      let isSent = false;
      guard(api, () => {
        const carrier: Record<string, string> = {};
        api.propagation.inject(api.trace.setSpan(context, span), carrier);
        api.context.with(context.setValue(untraced(api), true), () => {
          isSent = true;
          send(carrier);
        });
      });
      if (!isSent) send({});
    },
    end(outcome: CallOutcome): void {
      guard(api, () => {
        if (typeof outcome === 'number') {
          span.setAttribute('http.response.status_code', outcome);
        }
        if (typeof outcome !== 'number' || outcome >= 400) {
          span.setAttribute('error.type', String(outcome));
          span.setStatus({ code: api.SpanStatusCode.ERROR });
        }
        span.end();
      });
    },
  };
}

/**
 * The context key that makes SDKs suppress other instrumentations. Without it, an instrumented HTTP client would add a
 * second `traceparent`, and a request with two is invalid.
 */
const untraced = (api: typeof Api): symbol =>
  api.createContextKey('OpenTelemetry SDK Context Key SUPPRESS_TRACING');
