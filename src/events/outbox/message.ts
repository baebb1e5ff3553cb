import type { Types } from 'mongoose';
import type { OutboxEventDocument } from './outbox-event.schema.js';

const prefix = 'msg_';

/** A message is unsigned, so its bytes are equal for every attempt and endpoint. */
export interface WebhookMessage {
  readonly id: string;
  readonly body: string;
}

type PayloadSource = Pick<OutboxEventDocument, '_id' | 'type' | 'data' | 'changes' | 'createdAt'>;

/** Webhooks and polled events share this content (rule HOOK-2). */
export function payloadOf({ type, data, changes, createdAt }: Omit<PayloadSource, '_id'>) {
  const timestamp = createdAt.toISOString();
  return { type, timestamp, data, ...(changes === undefined ? {} : { changes }) };
}

export function messageOf(event: PayloadSource): WebhookMessage {
  return { id: messageIdOf(event._id), body: JSON.stringify(payloadOf(event)) };
}

export function messageIdOf(eventId: Types.ObjectId): string {
  return `${prefix}${eventId.toHexString()}`;
}

export function eventIdOf(messageId: string): string {
  return messageId.slice(prefix.length);
}

/** Returns null for events that are about no object. */
export function objectIdOf({ data }: Pick<OutboxEventDocument, 'data'>): string | null {
  const { _id } = (data ?? {}) as { _id?: unknown };
  return typeof _id === 'string' ? _id : null;
}
