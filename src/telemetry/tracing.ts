import type { IncomingHttpHeaders } from 'node:http';
import type * as Api from '@opentelemetry/api';
import type { Call } from '../rest/errors.ts';
import type { CallOutcome, OperationResult } from './outcome.ts';

/** Traces, as long as somebody has set up an OpenTelemetry SDK to collect them. */
export interface Tracing {
  beginOperation(headers: IncomingHttpHeaders): OperationTrace;
}

export interface OperationTrace {
  readonly traceId: string;
  beginCall(call: Call, attempt: number): CallTrace;
  end(result: OperationResult): void;
}

type HeaderRecord = Readonly<Record<string, string>>;

interface CallTrace {
  /** Sends the call as a part of this trace; `headers` go along, and `traceparent` with them. */
  run<T>(send: (headers: HeaderRecord) => T, headers: HeaderRecord): T;
  end(outcome: CallOutcome): void;
}

const NAME = 'messaging-graphql';

/** Null when there is no SDK, or not even the api package, which is optional: then nothing is spent on traces. */
export async function loadTracing(): Promise<Tracing | null> {
  const api = await import('@opentelemetry/api').catch(nullIfMissing);
  if (api === null || !hasSdk(api)) return null;
  const tracer = api.trace.getTracer(NAME);
  return {
    beginOperation: (headers) => beginOperation(api, tracer, headers),
  };
}

function nullIfMissing(error: unknown): null {
  if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND')
    return null;
  throw error;
}

/** Without an SDK the api hands out a provider that has nobody to pass spans on to. */
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
): OperationTrace {
  const active = api.context.active();
  // Where the HTTP server is traced too, its span has taken the client's `traceparent` already.
  const isInside = api.trace.getSpan(active) !== undefined;
  const parent = isInside ? active : api.propagation.extract(active, headers);
  const kind = isInside ? api.SpanKind.INTERNAL : api.SpanKind.SERVER;
  const span = tracer.startSpan('GraphQL Operation', { kind }, parent);
  const context = api.trace.setSpan(parent, span);
  return {
    traceId: span.spanContext().traceId,
    beginCall: (call, attempt) => beginCall({ api, tracer, context }, call, attempt),
    end({ type, name, codes }) {
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
    },
  };
}

function beginCall(
  { api, tracer, context }: { api: typeof Api; tracer: Api.Tracer; context: Api.Context },
  { method, route }: Call,
  attempt: number,
): CallTrace {
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
    run(send, headers) {
      const carrier: Record<string, string> = {};
      api.propagation.inject(api.trace.setSpan(context, span), carrier);
      return api.context.with(context.setValue(untraced(api), true), send, undefined, {
        ...carrier,
        ...headers,
      });
    },
    end(outcome) {
      if (typeof outcome === 'number') {
        span.setAttribute('http.response.status_code', outcome);
      }
      if (typeof outcome !== 'number' || outcome >= 400) {
        span.setAttribute('error.type', String(outcome));
        span.setStatus({ code: api.SpanStatusCode.ERROR });
      }
      span.end();
    },
  };
}

/**
 * The key by which SDKs know that what runs is not to be traced by others. Without it, an instrumentation of the HTTP client
 * would add a second `traceparent`, and two are none.
 */
const untraced = (api: typeof Api): symbol =>
  api.createContextKey('OpenTelemetry SDK Context Key SUPPRESS_TRACING');
