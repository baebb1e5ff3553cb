import type { Logger } from 'pino';
import { setTracing } from './traced.js';

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Starts to trace when the standard variables name a collector: `OTEL_EXPORTER_OTLP_ENDPOINT` or
 * `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT`. Otherwise nothing of it is loaded (rule OPS-13).
 */
export async function startTracing(
  logger: Logger,
  variables: Variables = process.env,
): Promise<void> {
  if (!namesCollector(variables)) return;
  const protocol =
    variables['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'] || variables['OTEL_EXPORTER_OTLP_PROTOCOL'];
  if (protocol && protocol !== 'http/protobuf') {
    logger.warn(`Traces are sent as http/protobuf: ${protocol} is not spoken`);
  }
  try {
    const { openTelemetry } = await import('./open-telemetry.js');
    setTracing(openTelemetry(variables, logger));
  } catch (error) {
    // A wrong address of a collector must not keep the service from its work.
    logger.warn({ err: error }, 'Traces cannot be sent');
  }
}

function namesCollector(variables: Variables): boolean {
  if (variables['OTEL_SDK_DISABLED']?.toLowerCase() === 'true') return false;
  const exporters = variables['OTEL_TRACES_EXPORTER'] || 'otlp';
  if (!exporters.split(',').includes('otlp')) return false;
  return Boolean(
    variables['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] || variables['OTEL_EXPORTER_OTLP_ENDPOINT'],
  );
}
