import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { Clock } from '../../core/configuration/clock.js';
import type { PreparedRewrites } from '../../core/database/documents/rewrites.js';
import type { OutboxEventDocument } from '../../events/outbox/outbox-event.schema.js';
import { OutboxEventsRepository } from '../../events/outbox/outbox-events.repository.js';
import { WebhookDeliveriesRepository } from './webhook-deliveries.repository.js';

/** The content of an event. */
export type EventContent = Pick<OutboxEventDocument, 'type' | 'data' | 'changes'>;

/** What is left of an event when its values about a person are removed. */
export type EraseContent = (content: EventContent) => EventContent;

/**
 * Removes the values about a person from events and the responses to deliveries (rule LEAD-15). An attempt
 * that is under way stores no response of a delivery with `erasedAt`.
 */
@Injectable()
export class WebhookErasuresService {
  constructor(
    private readonly events: OutboxEventsRepository,
    private readonly deliveries: WebhookDeliveriesRepository,
    private readonly clock: Clock,
  ) {}

  /** The rewrites of the events about objects. */
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

  /** The rewrites of the deliveries about objects, each with the number of attempts that lose their responses. */
  async *ofAttempts(
    organizationId: Types.ObjectId,
    objectIds: readonly string[],
  ): AsyncGenerator<PreparedRewrites, void> {
    let count = 0;
    const parts = this.deliveries.rewritesAbout(
      organizationId,
      objectIds,
      ({ log, erasedAt = null }) => {
        const answered = log.filter(({ response }) => response !== null).length;
        if (answered === 0 && erasedAt !== null) return null;
        count += answered;
        const $set = { erasedAt: erasedAt ?? this.clock.now(), 'log.$[].response': null };
        return { update: { $set } };
      },
    );
    for await (const { write } of parts) {
      yield { count, write };
      count = 0;
    }
  }
}
