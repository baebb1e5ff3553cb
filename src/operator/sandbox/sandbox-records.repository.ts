import { Injectable } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import type { Connection, Types } from 'mongoose';
import { mebibyte } from '../../core/values/numbers.js';
import type { DeletableDocument } from '../../core/database/documents/tenant-document.js';
import type { TenantFilter } from '../../core/database/documents/tenant-queries.js';
import type { TenantModel } from '../../core/database/models/tenant-model.js';

/**
 * A reset treats the documents of each model in one of these ways:
 * - `published`: deletes them, with an event for each
 * - `retired`: marks them as deleted, because readers of changes ask for `includeDeleted`
 * - `deleted`: deletes them without events
 * - `kept`: numbers that must not repeat, what the partner has set up, and the operator's own records
 */
export const resetTreatments = {
  ChequeWallet: 'published',
  Reservation: 'retired',
  Lead: 'retired',
  Client: 'deleted',
  Unit: 'retired',
  Compound: 'retired',
  Phase: 'deleted',
  UnitDesign: 'deleted',
  PropertyType: 'deleted',
  Amenity: 'deleted',
  CallbackLog: 'deleted',
  ChangeLog: 'deleted',
  IdempotencyRecord: 'deleted',
  Import: 'deleted',
  ApiKey: 'kept',
  Counter: 'kept',
  Erasure: 'kept',
  EventFeed: 'kept',
  OperatorLog: 'kept',
  OutboxEvent: 'kept',
  RequestLog: 'kept',
  TransactionLock: 'kept',
  User: 'kept',
  WebhookDelivery: 'kept',
  WebhookEndpoint: 'kept',
  WebhookStatistics: 'kept',
} as const;

type Treatment = (typeof resetTreatments)[keyof typeof resetTreatments];

export type ResetModel = {
  [Name in keyof typeof resetTreatments]: (typeof resetTreatments)[Name] extends 'kept'
    ? never
    : Name;
}[keyof typeof resetTreatments];

export function modelsTreatedAs(treatment: Exclude<Treatment, 'kept'>): ResetModel[] {
  const names = Object.entries(resetTreatments).filter(([, listed]) => listed === treatment);
  return names.map(([name]) => name as ResetModel);
}

type Filter = TenantFilter<DeletableDocument>;

const maxBytes = 16 * mebibyte;

interface SizedId {
  readonly _id: Types.ObjectId;
  readonly bytes: number;
}

/** Reads and removes documents of any model, always of one organization. */
@Injectable()
export class SandboxRecordsRepository {
  constructor(@InjectConnection() private readonly connection: Connection) {}

  /** Returns at most `limit` documents, fewer if they would exceed 16 MiB together, but at least one. */
  async find<T extends DeletableDocument>(
    model: ResetModel,
    organizationId: Types.ObjectId,
    filter: Filter,
    limit: number,
  ): Promise<T[]> {
    const sized = await this.modelOf(model).aggregate<SizedId>([
      { $match: { organizationId, ...(filter as object) } },
      { $limit: limit },
      { $project: { bytes: { $bsonSize: '$$ROOT' } } },
    ]);
    const ids: Types.ObjectId[] = [];
    let total = 0;
    for (const { _id, bytes } of sized) {
      total += bytes;
      if (total > maxBytes && ids.length > 0) break;
      ids.push(_id);
    }
    if (ids.length === 0) return [];
    return this.modelOf(model)
      .find<T>({ organizationId, _id: { $in: ids }, ...filter })
      .lean();
  }

  async findIds(
    model: ResetModel,
    organizationId: Types.ObjectId,
    filter: Filter,
    limit: number,
  ): Promise<Types.ObjectId[]> {
    const found = await this.modelOf(model)
      .find<{ _id: Types.ObjectId }>({ organizationId, ...filter }, ['_id'], { limit })
      .lean();
    return found.map(({ _id }) => _id);
  }

  async delete(
    model: ResetModel,
    organizationId: Types.ObjectId,
    ids: readonly Types.ObjectId[],
  ): Promise<void> {
    await this.modelOf(model).deleteMany({ organizationId, _id: { $in: ids } });
  }

  async retire(
    model: ResetModel,
    organizationId: Types.ObjectId,
    ids: readonly Types.ObjectId[],
    now: Date,
  ): Promise<void> {
    const $set = { isDeleted: true, deletedAt: now, updatedAt: now };
    await this.modelOf(model).updateMany({ organizationId, _id: { $in: ids } }, { $set });
  }

  private modelOf(name: ResetModel): TenantModel<DeletableDocument> {
    return this.connection.model(name) as unknown as TenantModel<DeletableDocument>;
  }
}
