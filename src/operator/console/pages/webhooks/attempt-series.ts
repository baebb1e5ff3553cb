import type { WebhookEndpointDocument } from '../../../../webhooks/endpoints/webhook-endpoint.schema.js';
import type { AttemptPoint } from '../../../../webhooks/statistics/webhook-stats.repository.js';
import { type ChartRange, stepsUntil } from '../../../usage/chart-ranges.js';
import type { ChartSeries } from '../../components/chart.js';
import type { PageRequest } from '../../page.js';

const units = { day: 'quarter', week: 'hour', month: 'day' } as const;

export const attemptSeries: readonly ChartSeries<AttemptPoint>[] = [
  { name: 'Delivered', severity: 'good', of: ({ delivered }) => delivered },
  { name: 'Failed', severity: 'bad', of: ({ failed }) => failed },
];

/** Returns every step of the range, of one or all endpoints. */
export async function attemptPoints(
  { services, now }: Pick<PageRequest, 'services' | 'now'>,
  range: ChartRange,
  endpoint?: WebhookEndpointDocument,
): Promise<AttemptPoint[]> {
  const steps = stepsUntil(range, now.getTime());
  const since = new Date(steps[0] ?? 0);
  const found = await services.webhookStatistics.attemptSeries(
    { since, unit: units[range] },
    endpoint,
  );
  const known = new Map(found.map((point) => [point.at.getTime(), point]));
  return steps.map((time) => known.get(time) ?? { at: new Date(time), delivered: 0, failed: 0 });
}
