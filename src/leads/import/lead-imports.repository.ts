import { Injectable } from '@nestjs/common';
import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Types } from 'mongoose';
import { duplicateKey } from '../../core/database/connection/database-errors.js';
import { InjectCollection } from '../../core/database/documents/inject-collection.js';
import type { TenantCollection } from '../../core/database/documents/tenant-collection.js';
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

/** What became of rows. */
export type ImportCounts = Pick<LeadImportDocument, 'created' | 'updated' | 'refused'>;

const nothing = { rows: 0, created: 0, updated: 0, refused: 0 };

/** The queries on `leadImports`. */
@Injectable()
export class LeadImportsRepository {
  constructor(
    @InjectCollection('LeadImport')
    private readonly imports: TenantCollection<LeadImportDocument>,
  ) {}

  async find(organizationId: Types.ObjectId, fileHash: string): Promise<LeadImportDocument | null> {
    return this.imports.findOne(organizationId, { fileHash });
  }

  /** The import of a file: where it was cut short, or a new one. */
  async findOrCreate(
    organizationId: Types.ObjectId,
    fileHash: string,
    now: Date,
  ): Promise<LeadImportDocument> {
    for (;;) {
      const found = await this.find(organizationId, fileHash);
      if (found !== null) return found;
      const times = { createdAt: now, updatedAt: now };
      const created = { _id: new Types.ObjectId(), organizationId, fileHash, ...nothing, ...times };
      try {
        await this.imports.insert(created);
        return created;
      } catch (error) {
        if (duplicateKey(error) === undefined) throw error;
      }
    }
  }

  /** Begins at the first row again. */
  async restart({ organizationId, _id }: LeadImportDocument, now: Date): Promise<void> {
    await this.imports.updateOne(organizationId, { _id }, { $set: { ...nothing, updatedAt: now } });
  }

  /**
   * Stores that rows are done, in the transaction that does it.
   *
   * @returns false when another process has done them
   */
  async advance(
    { organizationId, _id }: LeadImportDocument,
    { from, to }: { readonly from: number; readonly to: number },
    counts: ImportCounts,
    now: Date,
  ): Promise<boolean> {
    const update = { $set: { rows: to, updatedAt: now }, $inc: { ...counts } };
    return this.imports.updateOne(organizationId, { _id, rows: from }, update);
  }
}
