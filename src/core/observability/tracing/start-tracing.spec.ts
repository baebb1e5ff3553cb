import { afterEach, expect, it, jest } from '@jest/globals';
import { startTracing } from './start-tracing.js';
import { setTracing, traced, tracing } from './traced.js';

const warn = jest.fn();
const start = (variables: Record<string, string>) =>
  startTracing({ warn } as unknown as Parameters<typeof startTracing>[0], variables);

afterEach(async () => {
  await tracing()?.stop();
  setTracing(undefined);
  warn.mockReset();
});

const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://127.0.0.1:1';

it.each<Record<string, string>>([
  {},
  { OTEL_EXPORTER_OTLP_ENDPOINT: '' },
  { OTEL_SERVICE_NAME: 'leads' },
  { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_SDK_DISABLED: 'true' },
  { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_TRACES_EXPORTER: 'none' },
])('%j starts nothing', async (variables) => {
  await start(variables);
  expect(tracing()).toBeUndefined();
  expect(await traced('x', {}, () => Promise.resolve(7))).toBe(7);
});

it.each<Record<string, string>>([
  { OTEL_EXPORTER_OTLP_ENDPOINT },
  { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: OTEL_EXPORTER_OTLP_ENDPOINT },
])('%j starts to trace', async (variables) => {
  await start({ ...variables, OTEL_TRACES_SAMPLER: 'always_off' });
  expect(await traced('x', {}, () => Promise.resolve(7))).toBe(7);
  expect(tracing()).toBeDefined();
});

it('says which protocol it does not speak', async () => {
  await start({ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' });
  expect(warn).toHaveBeenCalledWith('Traces are sent as http/protobuf: grpc is not spoken');
});
