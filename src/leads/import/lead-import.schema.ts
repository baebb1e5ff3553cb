import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { TenantDocument } from '../../core/database/documents/tenant-document.js';

/** Imported values may be personal, so the record contains none (rule LEAD-16). */
@Schema({ collection: 'imports' })
export class ImportDocument extends TenantDocument {
  /** Hexadecimal SHA-256 of the file: importing the same file again continues this import. */
  @Prop({ type: String, required: true })
  fileHash!: string;

  @Prop({ type: String, required: true })
  state!: 'running' | 'finished';

  @Prop({ type: Number, required: true })
  total!: number;

  @Prop({ type: Number, required: true })
  done!: number;

  @Prop({ type: Number, required: true })
  created!: number;

  @Prop({ type: Number, required: true })
  updated!: number;

  @Prop({ type: Number, required: true })
  refused!: number;
}

export const importSchema = SchemaFactory.createForClass(ImportDocument);

importSchema.index(
  { organizationId: 1, fileHash: 1 },
  { name: 'file', unique: true, partialFilterExpression: { fileHash: { $exists: true } } },
);
