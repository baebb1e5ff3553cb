import { hourMs } from '../../core/values/durations.js';
import type { WebhookFigureDocument } from './webhook-figure.schema.js';

/** How deliveries to an endpoint went in an hour. */
export interface HourFigures {
  readonly delivered: number;
  readonly failed: number;
  /** Of an attempt; null when there was none. */
  readonly averageMs: number | null;
  /** Most that were seen waiting. */
  readonly backlog: number;
}

/** The hours up to a time, oldest first, out of the figures of one endpoint. */
export function hourlyFigures(
  figures: readonly Pick<
    WebhookFigureDocument,
    'at' | 'delivered' | 'failed' | 'milliseconds' | 'backlog'
  >[],
  until: Date,
  hours: number,
): HourFigures[] {
  const first = firstHour(until, hours).getTime();
  const byHour = Map.groupBy(figures, ({ at }) => Math.floor((at.getTime() - first) / hourMs));
  return Array.from({ length: hours }, (_, hour) => {
    const parts = byHour.get(hour) ?? [];
    const sum = (field: 'delivered' | 'failed' | 'milliseconds') =>
      // One that only knows how much waits has no attempts.
      parts.reduce((total, part) => total + (part[field] ?? 0), 0);
    const [delivered, failed] = [sum('delivered'), sum('failed')];
    const attempts = delivered + failed;
    return {
      delivered,
      failed,
      averageMs: attempts === 0 ? null : sum('milliseconds') / attempts,
      backlog: Math.max(0, ...parts.map(({ backlog = 0 }) => backlog)),
    };
  });
}

/** When the first of some hours begins of which the last one is under way. */
export function firstHour(until: Date, hours: number): Date {
  return new Date((Math.floor(until.getTime() / hourMs) - hours + 1) * hourMs);
}
