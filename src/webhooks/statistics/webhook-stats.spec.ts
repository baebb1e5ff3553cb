import { expect, it } from '@jest/globals';
import { Types } from 'mongoose';
import { metricLines, valueOf } from '../../../test/operations/metrics-text.js';
import { Metrics } from '../../core/observability/metrics.js';
import type { AttemptResult } from '../deliveries/attempt-outcome.js';
import { WebhookStatsService } from './webhook-stats.service.js';

it('delivery_attempts_total counts all endpoints beyond the first thousand together', async () => {
  const metrics = new Metrics();
  const [stored, clock] = [{ add: async () => undefined }, { now: () => new Date() }];
  const statistics = new WebhookStatsService(
    ...([stored, {}, {}, {}, clock, metrics] as unknown as ConstructorParameters<
      typeof WebhookStatsService
    >),
  );
  const ids = Array.from({ length: 1_010 }, () => new Types.ObjectId());
  for (const _id of [...ids, ...ids]) {
    const statusCode = _id === ids.at(-1) ? 204 : 500;
    const endpoint = { _id, organizationId: _id };
    await statistics.addResults(endpoint, [{ statusCode, milliseconds: 1 } as AttemptResult]);
  }
  const name = 'integration_api_delivery_attempts_total';
  const lines = metricLines(await metrics.text()).filter((line) => line.name === name);
  expect(new Set(lines.map(({ labels }) => labels['endpoint'])).size).toBe(1_001);
  const other = (result: string) => valueOf(lines, name, { endpoint: 'other', result });
  expect([other('delivered'), other('failed')]).toEqual([2, 18]);
});
