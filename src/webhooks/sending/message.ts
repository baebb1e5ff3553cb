import type { OutboxEventDocument } from '../outbox/outbox-event.schema.js';
import type { Message } from './signing.js';

/** An event as every receiver gets it (rule HOOK-2). */
export function messageOf({ _id, type, data, changes, createdAt }: OutboxEventDocument): Message {
  const timestamp = createdAt.toISOString();
  const payload = { type, timestamp, data, ...(changes === undefined ? {} : { changes }) };
  return { id: `msg_${_id.toHexString()}`, body: JSON.stringify(payload) };
}

/** The id of the object that an event is about, null when it has none. */
export function objectIdOf({ data }: OutboxEventDocument): string | null {
  const { _id } = data as { _id?: unknown };
  return typeof _id === 'string' ? _id : null;
}
