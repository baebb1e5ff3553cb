import { describe, expect, it } from '@jest/globals';
import { metricLines, valueIn } from '../../../test/operations/metrics-text.js';
import { Metrics } from '../../core/observability/metrics.js';
import type { Backlog } from '../../core/database/documents/tenant-queries.js';
import { addBacklog } from './service-metrics.js';

describe('the backlog metrics', () => {
  const help = { some_lag_seconds: 'x', some_count: 'x' };

  it('are omitted when the database fails', async () => {
    const metrics = new Metrics();
    addBacklog(metrics, () => Promise.reject(new Error('no')), help);
    expect(metricLines(await metrics.text())).toEqual([]);
  });

  it('share one query between simultaneous scrapes', async () => {
    const metrics = new Metrics();
    let asked = 0;
    let answer: (backlog: Backlog) => void = () => undefined;
    const read = () => {
      asked++;
      return new Promise<Backlog>((resolve) => (answer = resolve));
    };
    addBacklog(metrics, read, help);
    expect(metricLines(await metrics.text())).toEqual([]);
    const late = metrics.text();
    answer({ lagMs: 2_000, count: 3 });
    const values = metricLines(await late).map(({ value }) => value);
    expect(values).toEqual([2, 3]);
    expect(asked).toBe(1);
    const next = valueIn(metrics, 'some_count');
    answer({ lagMs: 0, count: 0 });
    expect(await next).toBe(0);
    expect(asked).toBe(2);
  });
});
