import type { Clock } from '../../core/configuration/clock.js';
import type { CompletedRequest } from '../../core/http/server/request-log.js';
import { addCounts, codeField, countCall, type Counts } from './call-counts.js';
import { startOf } from './chart-intervals.js';

/** Keeps at least one hour of counts while the database is unavailable; further calls are lost. */
const maxQuarterHours = 5;
/** Limits the keys and the routes of a quarter of an hour; further ones share a count. */
const maxNames = 1_000;

export interface QuarterHourCounts {
  /** Start in milliseconds since 1970. */
  readonly at: number;
  readonly total: Counts;
  /** Keyed by id; `none` holds calls without a valid key or beyond the limit. */
  readonly keys: Map<string, Counts>;
  /** Keyed by `POST /leads`; `other` holds calls beyond the limit. */
  readonly routes: Map<string, Counts>;
}

export class UsageCounter {
  private readonly quarterHours = new Map<number, QuarterHourCounts>();
  lostCalls = 0;

  constructor(private readonly clock: Clock) {}

  count(completed: CompletedRequest, isPoll = false, keyOnlyCounts: Counts = {}): void {
    const { method, route, status, milliseconds, apiKeyId, errorCodes = [] } = completed;
    const { notices = [] } = completed;
    const quarterHour = this.quarterHour();
    if (quarterHour === undefined) {
      this.lostCalls++;
      return;
    }
    const keyCounts = countsOf(quarterHour.keys, apiKeyId ?? 'none', 'none');
    const routeCounts = countsOf(quarterHour.routes, `${method} ${route}`, 'other');
    for (const counts of [quarterHour.total, keyCounts, routeCounts])
      countCall(counts, status, isPoll ? null : milliseconds);
    for (const code of [...errorCodes, ...notices]) addCounts(keyCounts, { [codeField(code)]: 1 });
    addCounts(keyCounts, keyOnlyCounts);
  }

  countDeliveries(delivered: number, undelivered: number): void {
    if (delivered + undelivered === 0) return;
    const quarterHour = this.quarterHour();
    if (quarterHour !== undefined) addCounts(quarterHour.total, { delivered, undelivered });
  }

  take(): readonly QuarterHourCounts[] {
    const taken = [...this.quarterHours.values()];
    this.quarterHours.clear();
    return taken;
  }

  private quarterHour(): QuarterHourCounts | undefined {
    const at = startOf('quarter', this.clock.now().getTime());
    const known = this.quarterHours.get(at);
    if (known !== undefined || this.quarterHours.size >= maxQuarterHours) return known;
    const quarterHour = { at, total: {}, keys: new Map(), routes: new Map() };
    this.quarterHours.set(at, quarterHour);
    return quarterHour;
  }
}

function countsOf(all: Map<string, Counts>, wanted: string, others: string): Counts {
  const name = all.has(wanted) || all.size < maxNames ? wanted : others;
  const counts = all.get(name) ?? {};
  all.set(name, counts);
  return counts;
}
