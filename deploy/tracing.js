/**
 * Sends the gateway's traces by OTLP over HTTP. The image loads it before the gateway if OTEL_EXPORTER_OTLP_ENDPOINT is set, and has the
 * packages it imports; elsewhere, install them beside the gateway.
 */
import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';

const spanProcessor = new BatchSpanProcessor({
  exporter: new OTLPTraceExporter(),
  // A stop takes some 300 ms after the last answer, in which the last spans can still be sent. Unit: milliseconds.
  scheduledDelayMillis: 100,
});
const resource = defaultResource()
  .merge(resourceFromAttributes({ 'service.name': 'messaging-graphql' }))
  .merge(detectResources({ detectors: [envDetector] }));

trace.setGlobalTracerProvider(
  new TracerProvider({ resource, spanProcessors: [spanProcessor] }),
);
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
propagation.setGlobalPropagator(new W3CTraceContextPropagator());
