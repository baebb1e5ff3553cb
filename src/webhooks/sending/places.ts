import type { Pace } from '../deliveries/delivery-outcome.js';

/** What an attempt holds: a place for endpoints of a pace, or none any longer. */
export type Place = Pace | 'left';

/** How many attempts hold each. */
export type Load = Readonly<Record<Place, number>>;

/** How many attempts a process runs at the same time (rule HOOK-8). */
export interface Places {
  /** For endpoints of each pace, which take none from each other; and how many may leave theirs. */
  readonly most: Load;
  readonly perQuickEndpoint: number;
  readonly perOtherEndpoint: number;
}

/** @param concurrency WEBHOOKS_CONCURRENCY */
export function placesOf(concurrency: number): Places {
  const part = (fraction: number) => Math.max(1, Math.floor(concurrency * fraction));
  return {
    most: {
      quick: concurrency,
      unproven: concurrency,
      slow: part(1 / 2),
      left: part(3 / 2),
    },
    perQuickEndpoint: part(1 / 4),
    perOtherEndpoint: part(1 / 16),
  };
}

/** Whether an attempt to an endpoint of a pace may begin beside those that are running. */
export function hasPlace(pace: Pace, load: Load, { most }: Places): boolean {
  return load[pace] < most[pace];
}

/** Whether an attempt that takes long gives its place to another one and goes on without it. */
export function leavesPlace(place: Place, load: Load, { most }: Places): boolean {
  return place !== 'slow' && load.left < most.left;
}

/** How many attempts an endpoint may have at the same time after one that was delivered or not. */
export function nextLimit(limit: number, pace: Pace, isDelivered: boolean, places: Places): number {
  if (!isDelivered) return 1;
  const { perQuickEndpoint, perOtherEndpoint } = places;
  return Math.min(limit * 2, pace === 'quick' ? perQuickEndpoint : perOtherEndpoint);
}
