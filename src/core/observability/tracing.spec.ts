import { afterEach, expect, it, jest } from '@jest/globals';
import { activeTracing, startTracing, stopTracing, traced } from './tracing.js';

const warn = jest.fn();
const start = (variables: Record<string, string>) =>
  startTracing({ warn } as unknown as Parameters<typeof startTracing>[0], variables);

afterEach(async () => {
  await stopTracing();
  warn.mockReset();
});

const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://127.0.0.1:1';

it.each<Record<string, string>>([
  {},
  { OTEL_EXPORTER_OTLP_ENDPOINT: '' },
  { OTEL_SERVICE_NAME: 'api' },
  { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_SDK_DISABLED: 'true' },
  { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_TRACES_EXPORTER: 'none' },
])('startTracing keeps tracing off with %j', async (variables) => {
  await start(variables);
  expect(activeTracing()).toBeUndefined();
  expect(await traced('x', {}, () => Promise.resolve(7))).toBe(7);
});

it.each<Record<string, string>>([
  { OTEL_EXPORTER_OTLP_ENDPOINT },
  { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: OTEL_EXPORTER_OTLP_ENDPOINT },
])('startTracing turns tracing on with %j', async (variables) => {
  await start({ ...variables, OTEL_TRACES_SAMPLER: 'always_off' });
  expect(await traced('x', {}, () => Promise.resolve(7))).toBe(7);
  expect(activeTracing()).toBeDefined();
});

it('startTracing logs a warning for an unsupported protocol', async () => {
  await start({ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' });
  expect(warn).toHaveBeenCalledWith('Unsupported OTLP protocol grpc; using http/protobuf');
});
