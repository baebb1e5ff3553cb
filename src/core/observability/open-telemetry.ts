import { context, diag, DiagLogLevel, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  defaultResource,
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Logger } from 'pino';

type Variables = Readonly<Record<string, string | undefined>>;

/** Limits the wait for the collector at the end of the process. */
const flushTimeoutMs = 1_000;

const scheduledDelayMs = 5_000;

const ignore = () => undefined;

/**
 * Exports spans as OTLP over HTTP. The instrumentation packages for Fastify and the driver would record paths
 * and statements.
 *
 * @returns a function that ends the export
 */
export function startOpenTelemetry(variables: Variables, logger: Logger): () => Promise<void> {
  const warn = (message: string) => logger.warn(`Tracing: ${message}`);
  diag.setLogger(
    { error: warn, warn, info: ignore, debug: ignore, verbose: ignore },
    DiagLogLevel.WARN,
  );
  const protocol =
    variables['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'] || variables['OTEL_EXPORTER_OTLP_PROTOCOL'];
  if (protocol && protocol !== 'http/protobuf') {
    logger.warn(`Unsupported OTLP protocol ${protocol}; using http/protobuf`);
  }
  const detectors = [resourceAttributesEnvDetector, serviceNameEnvDetector];
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'integration-api' }))
      .merge(detectResources({ detectors })),
    sampler: samplerOf(variables),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: new OTLPTraceExporter(),
        scheduledDelayMillis: Number(variables['OTEL_BSP_SCHEDULE_DELAY'] || scheduledDelayMs),
      }),
    ],
  });
  trace.setGlobalTracerProvider(provider);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  return async () => {
    const timeout = new Promise((resolve) => setTimeout(resolve, flushTimeoutMs).unref());
    await Promise.race([provider.shutdown().catch(ignore), timeout]);
    for (const api of [trace, context, propagation, diag]) api.disable();
  };
}

/** By default the caller's trace decides. */
function samplerOf(variables: Variables): Sampler {
  const name = variables['OTEL_TRACES_SAMPLER'] || 'parentbased_always_on';
  const ratio = Number(variables['OTEL_TRACES_SAMPLER_ARG'] || 1);
  const root = rootSampler(name.replace('parentbased_', ''), ratio);
  return name.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
}

function rootSampler(name: string, ratio: number): Sampler {
  if (name === 'always_off') return new AlwaysOffSampler();
  return name === 'traceidratio' ? new TraceIdRatioBasedSampler(ratio) : new AlwaysOnSampler();
}
