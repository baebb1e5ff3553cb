import { BSON } from 'mongodb';
import { Types } from 'mongoose';
import { DomainError } from '../../core/http/errors/domain-error.js';
import { httpErrors } from '../../core/http/errors/http-errors.js';
import { mebibyte } from '../../core/values/numbers.js';
import type { EventType } from './event-types.js';
import { messageOf } from './message.js';
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

/** Largest body of a webhook, and largest event as stored, in MiB (rule HOOK-15). */
const bodyLimit = 8;
const storedLimit = 15;

/** An event that could not be stored or sent, so that its change cannot be made. */
class EventTooLargeError extends DomainError<typeof httpErrors.eventTooLarge> {
  constructor(message: string) {
    super(httpErrors.eventTooLarge, { limit: bodyLimit });
    this.message = message;
  }
}

/**
 * Judges an event as it is stored and as it will be sent: a control character takes one byte in the
 * database and six in JSON, a number in a list more in the database.
 *
 * @throws EventTooLargeError
 */
function assertEventSize(event: OutboxEventDocument): void {
  const size = BSON.calculateObjectSize(event);
  if (size > storedLimit * mebibyte) {
    throw new EventTooLargeError(`The event is larger than ${storedLimit} MiB`);
  }
  // Nothing grows more than a control character, which is one byte here and six in JSON.
  if (size * 6 <= bodyLimit * mebibyte) return;
  if (Buffer.byteLength(messageOf(event).body) > bodyLimit * mebibyte) {
    throw new EventTooLargeError(`The body is larger than ${bodyLimit} MiB`);
  }
}

/** Type, time and the changes of a status take less. */
const spareBytes = 4_096;

/**
 * Whether the body of an event that shows a stored value could be sent.
 *
 * @param stored documents as stored, of which the JSON takes at most eight times as much
 * @param present the content of the event, made of them
 */
export function fitsEvent(stored: object, present: () => object): boolean {
  const limit = bodyLimit * mebibyte - spareBytes;
  if (BSON.calculateObjectSize(stored) * 8 <= limit) return true;
  return Buffer.byteLength(JSON.stringify(present())) <= limit;
}
