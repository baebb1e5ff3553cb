import { durationBounds } from '../../core/http/server/request-metrics.js';

/** What an overflow is counted under. */
const otherRoute = 'other';

/** Calls, by the results and the times of their responses. */
export interface CallCounts {
  /** By the first digit of the status, from 1 to 5. */
  readonly statuses: number[];
  /** By the ranges of {@link durationBounds}. */
  readonly buckets: number[];
  /** Together, to the end of the responses. */
  milliseconds: number;
}

/** Whose calls, and of which route. */
export interface Caller {
  /** In hexadecimal; null for calls without a valid key, and of those that are counted together. */
  readonly keyId: string | null;
  readonly organizationId: string | null;
  /** As `POST /leads`. */
  readonly route: string;
}

/** The calls of one key to one route. */
export type CallerCounts = Caller & CallCounts;

/** No calls. */
export function noCalls(): CallCounts {
  return {
    statuses: Array.from({ length: 5 }, () => 0),
    buckets: Array.from({ length: durationBounds.length + 1 }, () => 0),
    milliseconds: 0,
  };
}

/** Counts one call. */
export function countCall(counts: CallCounts, status: number, milliseconds: number): void {
  const statusClass = Math.min(4, Math.max(0, Math.floor(status / 100) - 1));
  counts.statuses[statusClass] = (counts.statuses[statusClass] ?? 0) + 1;
  const seconds = milliseconds / 1_000;
  let range = 0;
  while (range < durationBounds.length && seconds > (durationBounds[range] ?? 0)) range++;
  counts.buckets[range] = (counts.buckets[range] ?? 0) + 1;
  counts.milliseconds += milliseconds;
}

/** Adds the calls of one to those of another. */
export function addCounts(to: CallCounts, from: CallCounts): void {
  addEach(to.statuses, from.statuses);
  addEach(to.buckets, from.buckets);
  to.milliseconds += from.milliseconds;
}

function addEach(to: number[], from: readonly number[]): void {
  for (let index = 0; index < from.length; index++) {
    to[index] = (to[index] ?? 0) + (from[index] ?? 0);
  }
}

/** How many calls there were. */
export function callsOf({ statuses }: CallCounts): number {
  return statuses.reduce((sum, count) => sum + count, 0);
}

/** How many calls were refused or failed: statuses of 400 and above. */
export function errorsOf({ statuses: [, , , refused = 0, failed = 0] }: CallCounts): number {
  return refused + failed;
}

/**
 * The time within which a share of the calls got their response, in milliseconds, as far as the ranges
 * tell; null without calls. Within a range times count as evenly spread.
 *
 * @param share from 0 to 1
 */
export function quantileMs({ buckets }: CallCounts, share: number): number | null {
  const total = buckets.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  const wanted = share * total;
  let passed = 0;
  for (const [index, count] of buckets.entries()) {
    const lower = durationBounds[index - 1] ?? 0;
    // Beyond the last bound nothing is known but that.
    const upper = durationBounds[index] ?? lower;
    if (count > 0 && passed + count >= wanted) {
      return 1_000 * (lower + ((upper - lower) * (wanted - passed)) / count);
    }
    passed += count;
  }
  return 1_000 * (durationBounds.at(-1) ?? 0);
}

/**
 * Calls by key and route, of which at most so many are told apart: those that come later count together.
 */
export class CallTable {
  private readonly counts = new Map<string, CallerCounts>();

  constructor(private readonly limit: number) {}

  /** The counts of a caller, or those of all that there is no place for. */
  of(caller: Caller): CallerCounts {
    const name = `${caller.keyId} ${caller.route}`;
    const known = this.counts.get(name);
    if (known !== undefined) return known;
    return this.counts.size < this.limit - 1 ? this.add(name, caller) : this.ofOthers();
  }

  /** All of them, those with the most calls first. */
  all(): CallerCounts[] {
    return [...this.counts.values()].toSorted((a, b) => callsOf(b) - callsOf(a));
  }

  private ofOthers(): CallerCounts {
    const name = `null ${otherRoute}`;
    const others = { keyId: null, organizationId: null, route: otherRoute };
    return this.counts.get(name) ?? this.add(name, others);
  }

  private add(name: string, { keyId, organizationId, route }: Caller): CallerCounts {
    const added = { keyId, organizationId, route, ...noCalls() };
    this.counts.set(name, added);
    return added;
  }
}

/** Calls by route, and by key. */
export class CallSums {
  private readonly routes = new Map<string, CallCounts & { readonly route: string }>();
  private readonly keys = new Map<string | null, CallCounts & { readonly keyId: string | null }>();

  /** Adds the calls of one key to one route. */
  add(caller: CallerCounts): void {
    this.addRoute(caller);
    this.addKey(caller);
  }

  /** Adds calls to a route, of any keys. */
  addRoute({ route, ...counts }: CallCounts & { readonly route: string }): void {
    const known = this.routes.get(route) ?? { route, ...noCalls() };
    this.routes.set(route, known);
    addCounts(known, counts);
  }

  /** Adds calls of a key, to any routes. */
  addKey({ keyId, ...counts }: CallCounts & { readonly keyId: string | null }): void {
    const known = this.keys.get(keyId) ?? { keyId, ...noCalls() };
    this.keys.set(keyId, known);
    addCounts(known, counts);
  }

  /** All of them, in no order. */
  all() {
    return { routes: [...this.routes.values()], keys: [...this.keys.values()] };
  }
}
