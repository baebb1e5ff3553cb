import type { Types } from 'mongoose';
import type { OutboxEventDocument } from './outbox-event.schema.js';

/** `data` contains only `_id`, because the rest may be large. */
export type UnnumberedEvent = Pick<
  OutboxEventDocument,
  '_id' | 'organizationId' | 'type' | 'data' | 'erasedAt'
> & { readonly bytes: number };

/** Hands events on when they get their numbers. */
export abstract class EventFanOut {
  /** Creates deliveries in the open transaction. Returns the number of handled events, from the first; at least 1. */
  abstract fanOut(
    organizationId: Types.ObjectId,
    events: readonly UnnumberedEvent[],
  ): Promise<number>;
}
