import { Injectable } from '@nestjs/common';
import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Types } from 'mongoose';
import type { Kind } from './catalogue-entries.js';
import { InjectCollection } from '../../core/database/documents/inject-collection.js';
import type { TenantCollection } from '../../core/database/documents/tenant-collection.js';
import { TenantDocument } from '../../core/database/documents/tenant-document.js';

/** An import of a catalogue: when it was begun (`createdAt`), and how far it has come (rule OPS-34). */
@Schema({ collection: 'catalogueImports' })
export class CatalogueImportRecordDocument extends TenantDocument {
  /** `running` also when its process was ended in the middle. */
  @Prop({ type: String, required: true })
  state!: 'running' | 'finished' | 'interrupted';

  /** How many entries the file has, and how many of them are stored. */
  @Prop({ type: Number, required: true })
  total!: number;

  @Prop({ type: Number, required: true })
  done!: number;

  @Prop({
    type: [{ _id: false, kind: String, created: Number, updated: Number, unchanged: Number }],
  })
  counts!: readonly {
    readonly kind: Kind;
    readonly created: number;
    readonly updated: number;
    readonly unchanged: number;
  }[];
}

export const catalogueImportRecordSchema = SchemaFactory.createForClass(
  CatalogueImportRecordDocument,
);

/** Serves the list of an organization's imports, newest first. */
catalogueImportRecordSchema.index({ organizationId: 1, createdAt: -1 }, { name: 'byOrganization' });

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
