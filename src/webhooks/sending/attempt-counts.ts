import type { Types } from 'mongoose';

/** How many endpoints are counted one by one; further ones count together. */
const endpointsLimit = 1_000;

/** Attempts to deliver to an endpoint since the start of the process. */
export interface EndpointAttempts {
  /** Id of the endpoint; `other` for all beyond the first thousand. */
  readonly endpointId: string;
  delivered: number;
  failed: number;
}

/** Counts attempts by endpoint. */
export class AttemptCounts {
  private readonly counts = new Map<string, EndpointAttempts>();

  add(endpoint: Types.ObjectId, isDelivered: boolean): void {
    const counted = this.of(endpoint.toHexString());
    if (isDelivered) counted.delivered++;
    else counted.failed++;
  }

  all(): readonly EndpointAttempts[] {
    return [...this.counts.values()];
  }

  private of(id: string): EndpointAttempts {
    const known = this.counts.get(id);
    if (known !== undefined) return known;
    const endpointId = this.counts.size < endpointsLimit ? id : 'other';
    const counted = this.counts.get(endpointId) ?? { endpointId, delivered: 0, failed: 0 };
    this.counts.set(endpointId, counted);
    return counted;
  }
}
