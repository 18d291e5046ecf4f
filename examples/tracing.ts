/**
 * Collects the gateway's traces: `npx --no -- node --import ./examples/tracing.ts bin/messaging-graphql.js`. Needs the packages it
 * imports, and the exporter of your choice in the place of the one that prints.
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
  // The gateway exits as soon as it has drained: what is not exported by then is lost. Unit: milliseconds.
  scheduledDelayMillis: 500,
});

trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [spanProcessor] }));
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
propagation.setGlobalPropagator(new W3CTraceContextPropagator());
