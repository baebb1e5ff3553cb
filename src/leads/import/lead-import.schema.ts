import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { TenantDocument } from '../../core/database/documents/tenant-document.js';

/** How far the import of a file has come (rule LEAD-16); it holds nothing of the leads. */
@Schema({ collection: 'leadImports' })
export class LeadImportDocument extends TenantDocument {
  /** SHA-256 of the file in hexadecimal. */
  @Prop({ type: String, required: true })
  fileHash!: string;

  /** How many rows, from the first one on, are done. */
  @Prop({ type: Number, required: true })
  rows!: number;

  @Prop({ type: Number, required: true })
  created!: number;

  @Prop({ type: Number, required: true })
  updated!: number;

  @Prop({ type: Number, required: true })
  refused!: number;
}

export const leadImportSchema = SchemaFactory.createForClass(LeadImportDocument);

leadImportSchema.index({ organizationId: 1, fileHash: 1 }, { name: 'file', unique: true });
