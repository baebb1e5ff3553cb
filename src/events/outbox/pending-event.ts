import { Types } from 'mongoose';
import { assertEventSize } from './event-size.js';
import type { EventType } from './event-types.js';
import { type OutboxEventDocument, timeOfStoring } from './outbox-event.schema.js';

/** What a feature publishes (rule HOOK-2). */
export interface OutboundEvent extends Readonly<
  Pick<OutboxEventDocument, 'data' | 'changes' | 'requestId' | 'erasedAt'>
> {
  readonly type: EventType;
}

/** An event as it will be stored. */
export type PendingEvent = OutboxEventDocument;

/**
 * An event to store in the transaction of the change that it is about.
 *
 * @throws EventTooLargeError when it could not be sent, so that the change must not be made either
 */
export function pendingEvent(
  organizationId: Types.ObjectId,
  event: OutboundEvent,
  now: Date,
): PendingEvent {
  const pending: PendingEvent = {
    _id: new Types.ObjectId(),
    organizationId,
    ...event,
    storedAt: timeOfStoring,
    createdAt: now,
    updatedAt: now,
  };
  assertEventSize(pending);
  return pending;
}
