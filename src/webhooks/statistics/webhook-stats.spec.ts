import { expect, it } from '@jest/globals';
import { Types } from 'mongoose';
import { metricLines, valueOf } from '../../../test/operations/metrics-text.js';
import { Metrics } from '../../core/observability/metrics.js';
import type { AttemptResult } from '../deliveries/attempt-outcome.js';
import { hourlyStats, WebhookStatsService } from './webhook-stats.service.js';

it('hourlyStats adds up the quarters of each hour and keeps the largest backlog', () => {
  const quarter = (time: string, fields: object) => ({
    at: new Date(`2026-01-05T${time}:00Z`),
    delivered: 0,
    failed: 0,
    milliseconds: 0,
    ...fields,
  });
  const quarters = [
    quarter('09:30', { delivered: 3, milliseconds: 90, backlog: 2 }),
    quarter('09:00', { failed: 1, milliseconds: 10, backlog: 5 }),
    quarter('07:15', { delivered: 1, milliseconds: 4 }),
    quarter('06:45', { delivered: 100 }),
    { at: new Date('2026-01-05T08:15:00Z'), backlog: 7 },
  ];
  expect(hourlyStats(quarters, new Date('2026-01-05T09:37:00Z'), 3)).toEqual([
    { delivered: 1, failed: 0, averageMs: 4, backlog: 0 },
    { delivered: 0, failed: 0, averageMs: null, backlog: 7 },
    { delivered: 3, failed: 1, averageMs: 25, backlog: 5 },
  ]);
});

it('delivery_attempts_total counts all endpoints beyond the first thousand together', async () => {
  const metrics = new Metrics();
  const [stored, clock, leases] = [
    { allTenants: { updateOne: async () => undefined } },
    { now: () => new Date() },
    { create: () => undefined },
  ];
  const statistics = new WebhookStatsService(
    ...([stored, {}, {}, {}, {}, clock, metrics, leases] as unknown as ConstructorParameters<
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
  expect(statistics.attempts).toEqual({ delivered: 2, failed: 2_018 });
});
