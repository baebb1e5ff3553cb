import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { InjectCollection } from '../../core/database/documents/inject-collection.js';
import type { TenantCollection } from '../../core/database/documents/tenant-collection.js';
import type { CatalogueImportRecordDocument } from './catalogue-import-record.schema.js';

/** What is known of an import while it goes on. */
export type ImportState = Pick<CatalogueImportRecordDocument, 'state' | 'done' | 'counts'>;

/** What was imported when. */
@Injectable()
export class CatalogueImportRecordsRepository {
  constructor(
    @InjectCollection('CatalogueImportRecord')
    private readonly records: TenantCollection<CatalogueImportRecordDocument>,
  ) {}

  /** Notes that an import has begun. */
  async begin(organizationId: Types.ObjectId, total: number, now: Date): Promise<Types.ObjectId> {
    const _id = new Types.ObjectId();
    const state = { state: 'running', total, done: 0, counts: [] } as const;
    await this.records.insert({ _id, organizationId, ...state, createdAt: now, updatedAt: now });
    return _id;
  }

  /** Notes how far it has come. */
  async update(
    organizationId: Types.ObjectId,
    _id: Types.ObjectId,
    state: ImportState,
    updatedAt: Date,
  ): Promise<void> {
    await this.records.updateOne(organizationId, { _id }, { $set: { ...state, updatedAt } });
  }

  /** The last imports, newest first. */
  async last(
    organizationId: Types.ObjectId,
    limit: number,
  ): Promise<CatalogueImportRecordDocument[]> {
    return this.records.find(organizationId, {}, { sort: { createdAt: -1 }, limit });
  }
}
