import type { IntervalStats } from '../../usage/usage-stats.service.js';
import type { ChartSeries } from './time-chart.js';

export const callSeries: readonly ChartSeries<IntervalStats>[] = [
  { title: 'overview.succeeded', color: 'accent', of: ({ calls, errors }) => calls - errors },
  { title: 'overview.refused', color: 'warn', of: ({ errors, failures }) => errors - failures },
  { title: 'overview.failed', color: 'bad', of: ({ failures }) => failures },
];

export const latencySeries: readonly ChartSeries<IntervalStats>[] = [
  { title: 'overview.p95', color: 'warn', of: ({ p95Ms }) => p95Ms },
  { title: 'overview.median', color: 'accent', of: ({ medianMs }) => medianMs },
];

export const deliverySeries: readonly ChartSeries<IntervalStats>[] = [
  { title: 'delivery.delivered', color: 'good', of: ({ deliveries }) => deliveries.delivered },
  { title: 'delivery.failed', color: 'bad', of: ({ deliveries }) => deliveries.failed },
];
