import { type Attributes, context } from '@opentelemetry/api';
import type { Logger } from 'pino';
import type { Describe, Tracing } from './open-telemetry.js';

/** Runs work in the trace in which the function was created. */
export type InTrace = <T>(work: () => T) => T;

/** It stays undefined if no collector is named. */
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
    // A wrong address of the collector must not prevent the start.
    logger.warn(
      { err: error },
      'Could not start tracing; the service runs without traces. Check the OTEL_… variables',
    );
  }
}

/** Sends the remaining spans if the collector responds in time. */
export async function stopTracing(): Promise<void> {
  await tracing?.stop();
  tracing = undefined;
}

/** @param attributes without personal or secret values */
export function traced<T>(
  name: string,
  attributes: Attributes,
  work: (describe: Describe) => Promise<T>,
): Promise<T> {
  return tracing === undefined ? work(() => undefined) : tracing.traced(name, attributes, work);
}

export function inCurrentTrace(): InTrace {
  const current = context.active();
  return (work) => context.with(current, work);
}
