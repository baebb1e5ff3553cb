import type { Clock } from '../../core/configuration/clock.js';
import type { CompletedRequest } from '../../core/http/server/request-log.js';
import { addCounts, codeField, countCall, type Counts } from './call-counts.js';
import { startOf } from './time-steps.js';

/** Keeps at least one hour of counts while the database is unavailable; further calls are lost. */
const maxQuarters = 5;
/** Limits the keys and the routes of a quarter; further ones share a count. */
const maxNames = 1_000;

export interface QuarterCounts {
  /** Start in milliseconds since 1970. */
  readonly at: number;
  readonly total: Counts;
  /** Keyed by id; `none` holds calls without a valid key or beyond the limit. */
  readonly keys: Map<string, Counts>;
  /** Keyed by `POST /leads`; `other` holds calls beyond the limit. */
  readonly routes: Map<string, Counts>;
}

export class UsageCounter {
  private readonly quarters = new Map<number, QuarterCounts>();
  lostCalls = 0;

  constructor(private readonly clock: Clock) {}

  count(completed: CompletedRequest, isPoll = false, keyOnlyCounts: Counts = {}): void {
    const { method, route, status, milliseconds, apiKeyId, errorCodes = [] } = completed;
    const quarter = this.quarter();
    if (quarter === undefined) {
      this.lostCalls++;
      return;
    }
    const keyCounts = countsOf(quarter.keys, apiKeyId ?? 'none', 'none');
    const routeCounts = countsOf(quarter.routes, `${method} ${route}`, 'other');
    for (const counts of [quarter.total, keyCounts, routeCounts])
      countCall(counts, status, isPoll ? null : milliseconds);
    for (const code of errorCodes) addCounts(keyCounts, { [codeField(code)]: 1 });
    addCounts(keyCounts, keyOnlyCounts);
  }

  countDeliveries(delivered: number, undelivered: number): void {
    if (delivered + undelivered === 0) return;
    const quarter = this.quarter();
    if (quarter !== undefined) addCounts(quarter.total, { delivered, undelivered });
  }

  take(): readonly QuarterCounts[] {
    const taken = [...this.quarters.values()];
    this.quarters.clear();
    return taken;
  }

  private quarter(): QuarterCounts | undefined {
    const at = startOf('quarter', this.clock.now().getTime());
    const known = this.quarters.get(at);
    if (known !== undefined || this.quarters.size >= maxQuarters) return known;
    const quarter = { at, total: {}, keys: new Map(), routes: new Map() };
    this.quarters.set(at, quarter);
    return quarter;
  }
}

function countsOf(all: Map<string, Counts>, wanted: string, others: string): Counts {
  const name = all.has(wanted) || all.size < maxNames ? wanted : others;
  const counts = all.get(name) ?? {};
  all.set(name, counts);
  return counts;
}
