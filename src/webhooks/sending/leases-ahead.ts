import type { EndpointDeliveries, PaidDelivery } from './endpoint-deliveries.js';
import type { Places } from './places.js';

/** How many times the places of a quick endpoint are leased ahead for it. */
const aheadFactor = 8;
/** How many times all places of the process are leased ahead at most. */
const mostAheadFactor = 4;

/** Counts what is leased for quick endpoints before there is a place for it. */
export class LeasesAhead {
  private readonly most: number;
  private count = 0;

  /** @param concurrency how many attempts the process makes at the same time */
  constructor(
    private readonly places: Places,
    concurrency: number,
  ) {
    this.most = concurrency * mostAheadFactor;
  }

  /** How many deliveries may be leased for an endpoint beyond those that have a place. */
  roomFor({ pace, limit }: EndpointDeliveries): number {
    const { perQuickEndpoint } = this.places;
    if (pace !== 'quick' || limit < perQuickEndpoint) return 0;
    return Math.max(0, Math.min(perQuickEndpoint * aheadFactor, this.most - this.count));
  }

  add({ ahead }: EndpointDeliveries, leased: readonly PaidDelivery[]): void {
    ahead.push(...leased);
    this.count += leased.length;
  }

  take({ ahead }: EndpointDeliveries): PaidDelivery | undefined {
    const leased = ahead.shift();
    if (leased !== undefined) this.count -= 1;
    return leased;
  }

  takeMany({ ahead }: EndpointDeliveries, count: number): PaidDelivery[] {
    const taken = ahead.splice(0, count);
    this.count -= taken.length;
    return taken;
  }

  /** Takes those whose leases end before a time. */
  takeEnding(endpoint: EndpointDeliveries, time: Date): PaidDelivery[] {
    const { true: ending = [], false: lasting = [] } = Object.groupBy(
      this.takeAll(endpoint),
      ({ delivery }) => `${delivery.nextAttemptAt <= time}`,
    );
    this.add(endpoint, lasting);
    return ending;
  }

  takeAll({ ahead }: EndpointDeliveries): PaidDelivery[] {
    this.count -= ahead.length;
    return ahead.splice(0);
  }
}
