import type { OutboxEventDocument } from './outbox-event.schema.js';

const prefix = 'msg_';

/** What is sent, the same at every attempt. */
export interface Message {
  /** `webhook-id`. */
  readonly id: string;
  readonly body: string;
}

/** What is told of an event, by webhook and in the feed (rule HOOK-2). */
export interface EventPayload {
  readonly type: string;
  readonly timestamp: string;
  readonly data: object;
  readonly changes?: readonly object[];
}

/** An event as all who want it get it: its id, the same for all, and what it tells. */
export function payloadOf({ _id, type, data, changes, createdAt }: OutboxEventDocument): {
  readonly id: string;
  readonly payload: EventPayload;
} {
  const timestamp = createdAt.toISOString();
  const payload = { type, timestamp, data, ...(changes === undefined ? {} : { changes }) };
  return { id: `${prefix}${_id.toHexString()}`, payload };
}

/** An event as every receiver gets it (rule HOOK-2). */
export function messageOf(event: OutboxEventDocument): Message {
  const { id, payload } = payloadOf(event);
  return { id, body: JSON.stringify(payload) };
}

/** The id of the event that a message is about, in hexadecimal. */
export function idOfMessage(messageId: string): string {
  return messageId.slice(prefix.length);
}

/** The id of the object that an event is about, null when it has none. */
export function objectIdOf({ data }: OutboxEventDocument): string | null {
  const { _id } = data as { _id?: unknown };
  return typeof _id === 'string' ? _id : null;
}
