import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Types } from 'mongoose';
import { Clock } from '../../core/configuration/clock.js';
import {
  type KeysetPage,
  type KeysetRequest,
  newestFirst,
} from '../../core/database/documents/keyset.js';
import {
  type BatchedUpdates,
  type TenantFilter,
  type TenantIds,
  withIndexHint,
} from '../../core/database/documents/tenant-queries.js';
import { acrossTenants } from '../../core/database/models/across-tenants.js';
import { type Backlog, backlogOf } from '../../core/database/models/backlogs.js';
import { batchedUpdatesOf, batchesOf } from '../../core/database/models/batches.js';
import { byReference } from '../../core/database/models/by-reference.js';
import { pageOf } from '../../core/database/models/pages.js';
import type { CrossTenantModel } from '../../core/database/models/tenant-model.js';
import type { UnnumberedEvent } from './event-fan-out.js';
import type { OutboxEventDocument } from './outbox-event.schema.js';

/** Contents are omitted because they may be large. */
export type ListedEvent = Omit<OutboxEventDocument, 'data' | 'changes'>;

/** `data` contains only `_id` and `status`. */
export type ChangeEvent = Pick<
  OutboxEventDocument,
  '_id' | 'organizationId' | 'type' | 'requestId' | 'createdAt' | 'changes' | 'data'
>;

export type EventContent = Pick<OutboxEventDocument, 'type' | 'data' | 'changes'>;

const unnumbered = { sequence: null } as const;
const lowestId = new Types.ObjectId('0'.repeat(24));
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
export class OutboxEventsRepository {
  constructor(
    @InjectModel('OutboxEvent') private readonly events: CrossTenantModel<OutboxEventDocument>,
    private readonly clock: Clock,
  ) {}

  async add(events: readonly OutboxEventDocument[]): Promise<void> {
    if (events.length > 0) await this.events.insertMany(events, { lean: true });
  }

  /** Round robin: returns the next organization after `after`, or null if none has unnumbered events. */
  async nextOrganization(after: Types.ObjectId | null): Promise<Types.ObjectId | null> {
    const filter = { ...unnumbered, organizationId: { $gt: after ?? lowestId } };
    const sort = { organizationId: 1, storedAt: 1 } as const;
    const event = await withIndexHint('unnumbered', async (hint) =>
      this.events.findOne(filter, ['organizationId'], { sort, ...hint, ...acrossTenants }).lean(),
    );
    if (event !== null) return event.organizationId;
    return after === null ? null : this.nextOrganization(null);
  }

  async findUnnumbered(organizationId: Types.ObjectId, limit: number): Promise<UnnumberedEvent[]> {
    const fields = { organizationId: 1, type: 1, erasedAt: 1, 'data._id': 1 } as const;
    return this.events.aggregate<UnnumberedEvent>([
      { $match: { organizationId, ...unnumbered } },
      { $sort: { storedAt: 1 } },
      { $limit: limit },
      { $project: { ...fields, bytes: { $bsonSize: '$$ROOT' } } },
    ]);
  }

  /** Numbers the events in the order of the ids. */
  async number(
    organizationId: Types.ObjectId,
    ids: readonly Types.ObjectId[],
    first: number,
    numberedAt: Date,
    failureReason?: string,
  ): Promise<void> {
    const sequence = { $add: [first, { $indexOfArray: [ids, '$_id'] }] };
    const failure =
      failureReason === undefined ? {} : { failureReason: { $literal: failureReason } };
    await this.events.updateMany(
      { _id: { $in: ids }, organizationId, ...unnumbered },
      [{ $set: { sequence, numberedAt, updatedAt: numberedAt, ...failure } }],
      { hint: { _id: 1 }, updatePipeline: true },
    );
  }

  async lastSequence(organizationId: Types.ObjectId): Promise<number> {
    const filter = { organizationId, sequence: { $gt: 0 } };
    const last = await this.events.findOne(filter, ['sequence'], { sort: { sequence: -1 } }).lean();
    return last?.sequence ?? 0;
  }

  /** Counts events without a number, which have no deliveries yet. */
  async backlog(): Promise<Backlog> {
    return backlogOf(this.events, unnumbered, 'createdAt', this.clock.now(), 'unnumbered');
  }

  async firstSequence(
    organizationId: Types.ObjectId,
    filter: TenantFilter<OutboxEventDocument>,
  ): Promise<number | undefined> {
    const sort = { sequence: 1 } as const;
    const first = await this.events
      .findOne({ ...filter, organizationId }, ['sequence'], { sort })
      .lean();
    return first?.sequence ?? undefined;
  }

  /** Reads in the order of numbers. */
  feed(
    organizationId: Types.ObjectId,
    filter: TenantFilter<OutboxEventDocument>,
    limit: number,
  ): AsyncGenerator<OutboxEventDocument[], void> {
    const options = { sort: { sequence: 1 }, limit, hint: 'feed' } as const;
    return batchesOf(this.events, { ...filter, organizationId }, options);
  }

  /** Returns the newest events first: all, or only the ones set aside by the relay. */
  async list(
    organizationId: Types.ObjectId,
    { failed, limit }: { readonly failed: boolean; readonly limit: number },
  ): Promise<ListedEvent[]> {
    const filter = failed ? { organizationId, failureReason: { $gt: '' } } : { organizationId };
    const sort = failed ? ({ numberedAt: -1 } as const) : ({ createdAt: -1 } as const);
    return this.events.find(filter, { data: 0, changes: 0 }, { sort, limit }).lean();
  }

  async findWithContents(
    organizationId: Types.ObjectId,
    ids: readonly Types.ObjectId[],
  ): Promise<OutboxEventDocument[]> {
    const filter = { organizationId, _id: { $in: ids } };
    return this.events.find(filter, null, { hint: { _id: 1 } }).lean();
  }

  async listByObjects(
    organizationId: Types.ObjectId,
    objectIds: readonly string[],
    part: KeysetRequest,
  ): Promise<KeysetPage<ListedEvent>> {
    const filter = { organizationId, 'data._id': { $in: objectIds } };
    return pageOf(this.events, filter, newestFirst, part, { without: contentFields });
  }

  /** Returns events in no particular order. */
  async findByRequests(
    organizationIds: TenantIds,
    requestIds: readonly string[],
    limit: number,
  ): Promise<ChangeEvent[]> {
    if (requestIds.length === 0) return [];
    const organizationId = { $in: [organizationIds].flat() };
    const filter = { organizationId, requestId: { $in: requestIds } };
    return this.events.find<ChangeEvent>(filter, changeFields, { limit }).lean();
  }

  async findChanges(
    organizationId: Types.ObjectId,
    objectIds: readonly string[],
    types: readonly string[],
    limit: number,
  ): Promise<ChangeEvent[]> {
    if (objectIds.length === 0) return [];
    const filter = { organizationId, 'data._id': { $in: objectIds }, type: { $in: types } };
    const options = { sort: { createdAt: -1 }, limit } as const;
    return this.events.find<ChangeEvent>(filter, changeFields, options).lean();
  }

  /** Removes personal data (rule LEAD-15). */
  erase(
    organizationId: Types.ObjectId,
    objectIds: readonly string[],
    erase: (content: EventContent) => EventContent,
  ): AsyncGenerator<BatchedUpdates, void> {
    const about = { 'data._id': { $in: objectIds } };
    return batchedUpdatesOf(this.events, organizationId, about, ({ type, data, changes }) => {
      const before = { type, data, ...(changes === undefined ? {} : { changes }) };
      const after = erase(before);
      if (isDeepStrictEqual(after, before)) return null;
      const changed = after.changes && { changes: byReference(after.changes) };
      return { $set: { data: byReference(after.data), ...changed, erasedAt: this.clock.now() } };
    });
  }
}
