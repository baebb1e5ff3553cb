import type { Clock } from '../../core/configuration/clock.js';
import type { CompletedRequest } from '../../core/http/server/request-log.js';
import { addCounts, codeField, countCall, type Counts } from './call-counts.js';
import { quarterHourMs, startOfStep } from './chart-ranges.js';

/** Keeps at least one hour of counts while the database is unavailable; further calls are lost. */
const maxQuarterHours = 5;
/** Limits the pairs of key and route of a quarter of an hour; further ones share a count. */
const maxPairs = 2_000;

/** Code of accepted requests with ignored fields (rule OPS-36). */
export const ignoredFieldsCode = 'fields.ignored';

export interface RouteCounts {
  readonly apiKeyId: string | null;
  readonly route: string;
  readonly counts: Counts;
}

export interface QuarterHourCounts {
  /** Start in milliseconds since 1970. */
  readonly at: number;
  /** Keyed by key and route. */
  readonly pairs: Map<string, RouteCounts>;
}

export class UsageCounter {
  private readonly quarterHours = new Map<number, QuarterHourCounts>();
  lostCalls = 0;

  constructor(private readonly clock: Clock) {}

  count(completed: CompletedRequest, isPoll = false, furtherCounts: Counts = {}): void {
    const { method, route, status, milliseconds, apiKeyId = null } = completed;
    const quarterHour = this.quarterHour();
    if (quarterHour === undefined) {
      this.lostCalls++;
      return;
    }
    const counts = countsOf(quarterHour, apiKeyId, `${method} ${route}`);
    countCall(counts, status, isPoll ? null : milliseconds);
    for (const code of codesOf(completed)) addCounts(counts, { [codeField(code)]: 1 });
    addCounts(counts, furtherCounts);
  }

  /** Removes and returns the counts, the oldest quarter of an hour first. */
  take(): QuarterHourCounts[] {
    const taken = [...this.quarterHours.values()];
    this.quarterHours.clear();
    return taken;
  }

  private quarterHour(): QuarterHourCounts | undefined {
    const at = startOfStep(quarterHourMs, this.clock.now().getTime());
    const known = this.quarterHours.get(at);
    if (known !== undefined || this.quarterHours.size >= maxQuarterHours) return known;
    const quarterHour = { at, pairs: new Map() };
    this.quarterHours.set(at, quarterHour);
    return quarterHour;
  }
}

function codesOf({ status, errorCodes = [], notices = [], ignoredFields }: CompletedRequest) {
  const isIgnored = status < 400 && ignoredFields !== undefined;
  return [...errorCodes, ...notices, ...(isIgnored ? [ignoredFieldsCode] : [])];
}

function countsOf({ pairs }: QuarterHourCounts, apiKeyId: string | null, route: string): Counts {
  const name = `${apiKeyId ?? ''} ${route}`;
  const known = pairs.get(name);
  if (known !== undefined) return known.counts;
  if (pairs.size >= maxPairs && route !== 'other') return countsOf({ at: 0, pairs }, null, 'other');
  const counts: Counts = {};
  pairs.set(name, { apiKeyId, route, counts });
  return counts;
}
