import type { Types } from 'mongoose';
import type { OutboxEventDocument } from './outbox-event.schema.js';

const prefix = 'msg_';

/** What is sent, the same at every attempt. */
export interface Message {
  /** `webhook-id`. */
  readonly id: string;
  readonly body: string;
}

/** The parts of an event that its payload is made of. */
type PayloadSource = Pick<OutboxEventDocument, '_id' | 'type' | 'data' | 'changes' | 'createdAt'>;

/** An event as webhooks and the feed show it (rule HOOK-2). */
export interface EventPayload {
  readonly type: string;
  readonly timestamp: string;
  readonly data: object;
  readonly changes?: readonly object[];
}

/** The message id and the payload of an event. */
export function payloadOf({ _id, type, data, changes, createdAt }: PayloadSource): {
  readonly id: string;
  readonly payload: EventPayload;
} {
  const timestamp = createdAt.toISOString();
  const payload = { type, timestamp, data, ...(changes === undefined ? {} : { changes }) };
  return { id: messageIdOf(_id), payload };
}

/** An event as every receiver gets it (rule HOOK-2). */
export function messageOf(event: PayloadSource): Message {
  const { id, payload } = payloadOf(event);
  return { id, body: JSON.stringify(payload) };
}

/** The `webhook-id` of an event, the same for all attempts and endpoints. */
export function messageIdOf(eventId: Types.ObjectId): string {
  return `${prefix}${eventId.toHexString()}`;
}

/** The id of the event that a message is about, in hexadecimal. */
export function idOfMessage(messageId: string): string {
  return messageId.slice(prefix.length);
}

/** The id of the object that an event is about, null when it has none. */
export function objectIdOf({ data }: Pick<OutboxEventDocument, 'data'>): string | null {
  const { _id } = (data ?? {}) as { _id?: unknown };
  return typeof _id === 'string' ? _id : null;
}
