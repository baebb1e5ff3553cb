import { Injectable } from '@nestjs/common';
import { BSON } from 'mongodb';
import { Types } from 'mongoose';
import { afterTransaction } from '../../core/database/transactions/sessions.js';
import { DomainError } from '../../core/errors/domain-error.js';
import { httpErrors } from '../../core/errors/http-errors.js';
import { mebibyte } from '../../core/values/numbers.js';
import { EventSignals } from './event-signals.js';
import type { EventType } from './event-types.js';
import { messageOf } from './message.js';
import { type OutboxEventDocument, serverTimestampPlaceholder } from './outbox-event.schema.js';
import { OutboxEventsRepository } from './outbox-events.repository.js';

export interface OutboundEvent extends Readonly<
  Pick<OutboxEventDocument, 'data' | 'changes' | 'requestId' | 'erasedAt'>
> {
  readonly type: EventType;
}

export type PendingEvent = OutboxEventDocument;

/** Maximum body of a webhook (rule HOOK-15). */
const maxBodyMebibytes = 8;
/** Maximum event as stored: a number in a list takes more bytes in BSON than in JSON. */
const maxStoredMebibytes = 15;
/** Maximum JSON bytes per byte of BSON: a control character takes six in JSON. */
const jsonGrowth = 6;
/** Upper bound for type, time and the changes of a status. */
const reservedBytes = 4_096;

@Injectable()
export class Outbox {
  private readonly report = () => this.signals.stored.next();

  constructor(
    private readonly events: OutboxEventsRepository,
    private readonly signals: EventSignals,
  ) {}

  /** @throws DomainError 400 when an event is too large to be sent */
  async publish(
    organizationId: Types.ObjectId,
    events: readonly OutboundEvent[],
    now: Date,
  ): Promise<void> {
    await this.store(events.map((event) => pendingEvent(organizationId, event, now)));
  }

  async store(events: readonly PendingEvent[]): Promise<void> {
    if (events.length === 0) return;
    await this.events.add(events);
    afterTransaction(this.report);
  }
}

/** @throws DomainError 400 when the event cannot be stored or sent; its change must then not be made either */
export function pendingEvent(
  organizationId: Types.ObjectId,
  event: OutboundEvent,
  now: Date,
): PendingEvent {
  const pending: PendingEvent = {
    _id: new Types.ObjectId(),
    organizationId,
    ...event,
    storedAt: serverTimestampPlaceholder,
    createdAt: now,
    updatedAt: now,
  };
  const size = BSON.calculateObjectSize(pending);
  const mayBeTooLarge = size * jsonGrowth > maxBodyMebibytes * mebibyte;
  const bodySize = mayBeTooLarge ? Buffer.byteLength(messageOf(pending).body) : 0;
  if (size > maxStoredMebibytes * mebibyte || bodySize > maxBodyMebibytes * mebibyte) {
    throw new DomainError(httpErrors.eventTooLarge, { limit: maxBodyMebibytes });
  }
  return pending;
}

/** Skips the JSON where the BSON shows that it fits: JSON takes at most eight times as much. */
export function fitsInEvent(stored: object, present: () => object): boolean {
  const limit = maxBodyMebibytes * mebibyte - reservedBytes;
  if (BSON.calculateObjectSize(stored) * 8 <= limit) return true;
  return Buffer.byteLength(JSON.stringify(present())) <= limit;
}
