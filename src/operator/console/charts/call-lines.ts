import type { StepStats } from '../../usage/usage-stats.service.js';
import type { ChartLine } from './time-chart.js';

export const callLines: readonly ChartLine<StepStats>[] = [
  { title: 'overview.succeeded', color: 'accent', of: ({ calls, errors }) => calls - errors },
  { title: 'overview.refused', color: 'warn', of: ({ errors, failures }) => errors - failures },
  { title: 'overview.failed', color: 'bad', of: ({ failures }) => failures },
];

export const latencyLines: readonly ChartLine<StepStats>[] = [
  { title: 'overview.p95', color: 'warn', of: ({ p95Ms }) => p95Ms },
  { title: 'overview.median', color: 'accent', of: ({ medianMs }) => medianMs },
];

export const deliveryLines: readonly ChartLine<StepStats>[] = [
  { title: 'delivery.delivered', color: 'good', of: ({ deliveries }) => deliveries.delivered },
  { title: 'delivery.failed', color: 'bad', of: ({ deliveries }) => deliveries.failed },
];
