import { BSON } from 'mongodb';
import { DomainError } from '../../core/http/errors/domain-error.js';
import { httpErrors } from '../../core/http/errors/http-errors.js';
import { mebibyte } from '../../core/values/numbers.js';
import { messageOf } from './message.js';
import type { OutboxEventDocument } from './outbox-event.schema.js';

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
export function assertEventSize(event: OutboxEventDocument): void {
  const size = BSON.calculateObjectSize(event);
  if (size > storedLimit * mebibyte) {
    throw new EventTooLargeError(`The event is larger than ${storedLimit} MiB`);
  }
  // Nothing grows more than a control character, which is one byte here and six in JSON.
  if (size * 6 > bodyLimit * mebibyte) assertBodySize(messageOf(event).body);
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

/** @throws EventTooLargeError for a body that is not sent */
function assertBodySize(body: string): void {
  if (Buffer.byteLength(body) > bodyLimit * mebibyte) {
    throw new EventTooLargeError(`The body is larger than ${bodyLimit} MiB`);
  }
}
