import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { type ListedEvent, OutboxEventsRepository } from './outbox-events.repository.js';

export type { ListedEvent };

/** Events for the command line. */
@Injectable()
export class OutboxEventsService {
  constructor(private readonly events: OutboxEventsRepository) {}

  /** The newest events of an organization: all, or those that could not be relayed. */
  async list(
    organizationId: Types.ObjectId,
    options: { readonly failed: boolean; readonly limit: number },
  ): Promise<ListedEvent[]> {
    return this.events.list(organizationId, options);
  }
}
