import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { Clock } from '../../core/configuration/clock.js';
import {
  type KeysetPage,
  type KeysetRequest,
  newestFirst,
} from '../../core/database/documents/keyset.js';
import type { BatchedUpdates, TenantIds } from '../../core/database/documents/tenant-queries.js';
import {
  InjectCollection,
  type TenantCollection,
} from '../../core/database/documents/tenant-collection.js';
import type { OutboxEventDocument } from './outbox-event.schema.js';

/** Contents are omitted because they may be large. */
export type ListedEvent = Omit<OutboxEventDocument, 'data' | 'changes'>;

/** `data` contains only `_id` and `status`. */
export type ChangeEvent = Pick<
  OutboxEventDocument,
  '_id' | 'organizationId' | 'type' | 'requestId' | 'createdAt' | 'changes' | 'data'
>;

export type EventContent = Pick<OutboxEventDocument, 'type' | 'data' | 'changes'>;

const contentFields = ['data', 'changes'] as const;
const changeFields = [
  'organizationId',
  'type',
  'requestId',
  'createdAt',
  'changes',
  'data._id',
  'data.status',
] as const;

@Injectable()
export class EventHistoryService {
  constructor(
    @InjectCollection('OutboxEvent')
    private readonly events: TenantCollection<OutboxEventDocument>,
    private readonly clock: Clock,
  ) {}

  /** Returns the newest events first: all, or only the ones set aside by the relay. */
  async list(
    organizationId: Types.ObjectId,
    { failed, limit }: { readonly failed: boolean; readonly limit: number },
  ): Promise<ListedEvent[]> {
    const filter = failed ? ({ failureReason: { $gt: '' } } as const) : {};
    const sort = failed ? ({ numberedAt: -1 } as const) : ({ createdAt: -1 } as const);
    return this.events.find(organizationId, filter, { without: contentFields, sort, limit });
  }

  async findWithContents(
    organizationId: Types.ObjectId,
    ids: readonly Types.ObjectId[],
  ): Promise<OutboxEventDocument[]> {
    return this.events.find(organizationId, { _id: { $in: ids } }, { hint: '_id_' });
  }

  async listByObjects(
    organizationId: Types.ObjectId,
    objectIds: readonly string[],
    part: KeysetRequest,
  ): Promise<KeysetPage<ListedEvent>> {
    const about = { 'data._id': { $in: objectIds } };
    return this.events.page(organizationId, about, newestFirst, part, { without: contentFields });
  }

  /** Returns events in no particular order. */
  async findByRequests(
    organizationIds: TenantIds,
    requestIds: readonly string[],
    limit: number,
  ): Promise<ChangeEvent[]> {
    if (requestIds.length === 0) return [];
    const filter = { requestId: { $in: requestIds } };
    return this.events.find(organizationIds, filter, { fields: changeFields, limit });
  }

  async findChanges(
    organizationId: Types.ObjectId,
    objectIds: readonly string[],
    types: readonly string[],
    limit: number,
  ): Promise<ChangeEvent[]> {
    if (objectIds.length === 0) return [];
    const about = { 'data._id': { $in: objectIds }, type: { $in: types } };
    const options = { fields: changeFields, sort: { createdAt: -1 }, limit } as const;
    return this.events.find(organizationId, about, options);
  }

  /** Removes personal data (rule LEAD-15). */
  erase(
    organizationId: Types.ObjectId,
    objectIds: readonly string[],
    erase: (content: EventContent) => EventContent,
  ): AsyncGenerator<BatchedUpdates, void> {
    const about = { 'data._id': { $in: objectIds } };
    return this.events.batchedUpdates(organizationId, about, ({ type, data, changes }) => {
      const before = { type, data, ...(changes === undefined ? {} : { changes }) };
      const after = erase(before);
      if (isDeepStrictEqual(after, before)) return null;
      return { $set: { ...after, erasedAt: this.clock.now() } };
    });
  }
}
