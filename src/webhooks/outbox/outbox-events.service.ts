import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { type ListedEvent, OutboxEventsRepository } from './outbox-events.repository.js';

export type { ListedEvent };

/** Events for the command line and metrics. */
@Injectable()
export class OutboxEventsService {
  constructor(private readonly events: OutboxEventsRepository) {}

  /** Since when the event that waits longest has waited to be relayed; null when none does. */
  async waitingSince(): Promise<Date | null> {
    return this.events.waitingSince();
  }

  /** The newest events of an organization: all, or those that could not be relayed. */
  async list(
    organizationId: Types.ObjectId,
    options: { readonly failed: boolean; readonly limit: number },
  ): Promise<ListedEvent[]> {
    return this.events.list(organizationId, options);
  }
}
