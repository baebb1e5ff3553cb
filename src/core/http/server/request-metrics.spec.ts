import { expect, it } from '@jest/globals';
import type { FastifyInstance } from 'fastify';
import { metricLines, valueIn } from '../../../../test/operations/metrics-text.js';
import { Metrics } from '../../observability/metrics.js';
import type { CompletedRequest } from './request-log.js';
import { addRequestMetrics } from './request-metrics.js';

it('key_calls_total counts the calls of all keys beyond the first thousand together', async () => {
  const metrics = new Metrics();
  const completed: CompletedRequest = {
    method: 'GET',
    route: '/units',
    status: 200,
    milliseconds: 3,
    organizationId: 'organization',
    apiKeyId: undefined,
  };
  const request = { routeOptions: { config: {} } };
  const fastify: Pick<FastifyInstance, 'completedRequestListeners'> = {
    completedRequestListeners: [],
  };
  addRequestMetrics(fastify as never, metrics);
  for (let round = 0; round < 2; round++) {
    for (let key = 0; key < 1_200; key++) {
      fastify.completedRequestListeners[0]?.(
        { ...completed, apiKeyId: `key-${key}` },
        request as never,
      );
    }
  }
  const calls = metricLines(await metrics.text()).filter(({ name }) =>
    name.endsWith('calls_total'),
  );
  expect(calls).toHaveLength(1_001);
  expect(await valueIn(metrics, 'key_calls_total', { key: 'other' })).toBe(400);
  expect(await valueIn(metrics, 'key_calls_total', { key: 'key-999' })).toBe(2);
});
