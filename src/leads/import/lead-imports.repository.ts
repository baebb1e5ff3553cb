import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { duplicateKey } from '../../core/database/connection/database-errors.js';
import { InjectCollection } from '../../core/database/documents/inject-collection.js';
import type { TenantCollection } from '../../core/database/documents/tenant-collection.js';
import type { LeadImportDocument } from './lead-import.schema.js';

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
