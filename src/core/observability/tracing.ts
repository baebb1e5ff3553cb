import { type Attributes, context } from '@opentelemetry/api';
import type { Logger } from 'pino';
import type { SetSpanAttributes, Tracing } from './open-telemetry.js';

/** Runs work in the trace that was active at its creation. */
export type InTrace = <T>(work: () => T) => T;

/** Undefined unless a collector is configured. */
let tracing: Tracing | undefined;

export function activeTracing(): Tracing | undefined {
  return tracing;
}

/** Loads the SDK only if a standard variable names a collector (rule OPS-13). */
export async function startTracing(
  logger: Logger,
  variables: Readonly<Record<string, string | undefined>> = process.env,
): Promise<void> {
  const isDisabled = variables['OTEL_SDK_DISABLED']?.toLowerCase() === 'true';
  const exporters = (variables['OTEL_TRACES_EXPORTER'] || 'otlp').split(',');
  const collector =
    variables['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] || variables['OTEL_EXPORTER_OTLP_ENDPOINT'];
  if (isDisabled || !exporters.includes('otlp') || !collector) return;
  try {
    const { startOpenTelemetry } = await import('./open-telemetry.js');
    tracing = startOpenTelemetry(variables, logger);
  } catch (error) {
    // A wrong collector address must not prevent the start.
    logger.warn(
      { err: error },
      'Could not start tracing; the service runs without traces. Check the OTEL_… variables',
    );
  }
}

/** Flushes spans if the collector responds in time. */
export async function stopTracing(): Promise<void> {
  await tracing?.stop();
  tracing = undefined;
}

/** @param attributes must not contain personal or secret values */
export function traced<T>(
  name: string,
  attributes: Attributes,
  work: (describe: SetSpanAttributes) => Promise<T>,
): Promise<T> {
  return tracing === undefined ? work(() => undefined) : tracing.traced(name, attributes, work);
}

export function inCurrentTrace(): InTrace {
  const current = context.active();
  return (work) => context.with(current, work);
}
