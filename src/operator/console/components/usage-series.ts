import type { UsagePoint } from '../../usage/usage.service.js';
import type { ChartSeries } from './chart.js';

export const callSeries: readonly ChartSeries<UsagePoint>[] = [
  {
    name: 'Succeeded',
    severity: 'note',
    of: ({ calls, refused, failed }) => calls - refused - failed,
  },
  { name: 'Refused (4xx)', severity: 'warn', of: ({ refused }) => refused },
  { name: 'Failed (5xx)', severity: 'bad', of: ({ failed }) => failed },
];

export const latencySeries: readonly ChartSeries<UsagePoint>[] = [
  { name: '95 % within', severity: 'warn', of: ({ p95Ms }) => p95Ms },
  { name: 'Median', severity: 'note', of: ({ medianMs }) => medianMs },
];
