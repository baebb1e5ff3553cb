import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { KeysetPage, KeysetRequest } from '../../core/database/documents/keyset.js';
import {
  type ChangeEvent,
  type ListedEvent,
  OutboxEventsRepository,
} from './outbox-events.repository.js';

export type { ChangeEvent, ListedEvent };

/** Events for the operator. */
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

  /** The events about objects, newest first, without what they show. */
  async about(
    organizationId: Types.ObjectId,
    objectIds: readonly string[],
    part: KeysetRequest,
  ): Promise<KeysetPage<ListedEvent>> {
    return this.events.listAbout(organizationId, objectIds, part);
  }

  /** The newest events of some types about objects, with what changed. */
  async changesOf(
    organizationId: Types.ObjectId,
    objectIds: readonly string[],
    types: readonly string[],
    limit: number,
  ): Promise<ChangeEvent[]> {
    return this.events.listChangesOf(organizationId, objectIds, types, limit);
  }
}
