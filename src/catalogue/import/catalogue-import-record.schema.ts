import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { TenantDocument } from '../../core/database/documents/tenant-document.js';
import type { Kind } from './catalogue-entries.js';

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
