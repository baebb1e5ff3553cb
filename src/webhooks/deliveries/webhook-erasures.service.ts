import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { PreparedRewrites } from '../../core/database/documents/rewrites.js';
import { Clock } from '../../core/configuration/clock.js';
import { WebhookAttemptsRepository } from './webhook-attempts.repository.js';
import { WebhookDeliveriesRepository } from './webhook-deliveries.repository.js';
import type { OutboxEventDocument } from '../../events/outbox/outbox-event.schema.js';
import { OutboxEventsRepository } from '../../events/outbox/outbox-events.repository.js';

/** What an event says. */
export type EventContent = Pick<OutboxEventDocument, 'type' | 'data' | 'changes'>;

/** What is left of an event when what it says of a person is removed. */
export type EraseContent = (content: EventContent) => EventContent;

/**
 * Removes what events, deliveries and attempts say of a person (rule LEAD-15). Relay and worker take
 * care that what they have read before is not stored again: they see `erasedAt`.
 */
@Injectable()
export class WebhookErasuresService {
  constructor(
    private readonly events: OutboxEventsRepository,
    private readonly deliveries: WebhookDeliveriesRepository,
    private readonly attempts: WebhookAttemptsRepository,
    private readonly clock: Clock,
  ) {}

  /** What becomes of the events about objects. */
  ofEvents(
    organizationId: Types.ObjectId,
    objectIds: readonly string[],
    erase: EraseContent,
  ): AsyncGenerator<PreparedRewrites, void> {
    return this.events.rewritesAbout(organizationId, objectIds, ({ type, data, changes }) => {
      const before = { type, data, ...(changes === undefined ? {} : { changes }) };
      const left = erase(before);
      if (isDeepStrictEqual(left, before)) return null;
      return { update: { $set: { ...left, erasedAt: this.clock.now() } } };
    });
  }

  /** What becomes of the deliveries about objects. */
  ofDeliveries(
    organizationId: Types.ObjectId,
    objectIds: readonly string[],
    erase: EraseContent,
  ): AsyncGenerator<PreparedRewrites, void> {
    return this.deliveries.rewritesAbout(organizationId, objectIds, ({ body }) => {
      const payload = JSON.parse(body) as EventContent;
      const left = { ...payload, ...erase(payload) };
      if (isDeepStrictEqual(left, payload)) return null;
      return { update: { $set: { body: JSON.stringify(left), erasedAt: this.clock.now() } } };
    });
  }

  /** What becomes of the attempts to deliver what is about objects: they lose the responses. */
  async *ofAttempts(
    organizationId: Types.ObjectId,
    objectIds: readonly string[],
  ): AsyncGenerator<PreparedRewrites, void> {
    for await (const ids of this.deliveries.idsAbout(organizationId, objectIds)) {
      yield* this.attempts.rewritesOfResponses(organizationId, ids);
    }
  }
}
