/**
 * Collects the gateway's traces: `npx --no -- node --import ./examples/tracing.ts bin/messaging-graphql.js`.
 * Install the packages it imports, and replace the exporter, which only prints, with your own.
 */
import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import {
  BatchSpanProcessor,
  ConsoleSpanExporter,
  TracerProvider,
} from '@opentelemetry/sdk-trace';

const spanProcessor = new BatchSpanProcessor({
  exporter: new ConsoleSpanExporter(),
  // The gateway exits when all operations are answered. Spans that are not exported by then are lost. Unit: milliseconds.
  scheduledDelayMillis: 500,
});

trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [spanProcessor] }));
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
propagation.setGlobalPropagator(new W3CTraceContextPropagator());
