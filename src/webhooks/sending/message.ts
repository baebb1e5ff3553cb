import type { OutboxEventDocument } from '../outbox/outbox-event.schema.js';
import type { Message } from './signing.js';

type ToldPart = Pick<OutboxEventDocument, '_id' | 'type' | 'data' | 'changes' | 'createdAt'>;

/** Puts an event into the words in which every receiver gets it. */
export function messageOf({ _id, type, data, changes, createdAt }: ToldPart): Message {
  const timestamp = createdAt.toISOString();
  const told = { type, timestamp, data, ...(changes === undefined ? {} : { changes }) };
  return { id: `msg_${_id.toHexString()}`, body: JSON.stringify(told) };
}

/** The id of the object that an event is about, null when it has none. */
export function objectIdOf({ data }: Pick<OutboxEventDocument, 'data'>): string | null {
  const { _id } = data as { _id?: unknown };
  return typeof _id === 'string' ? _id : null;
}
