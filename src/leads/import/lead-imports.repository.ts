import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Types } from 'mongoose';
import { duplicateKey } from '../../core/database/connection/database-errors.js';
import type { TenantModel } from '../../core/database/models/tenant-model.js';
import type { ImportDocument } from './lead-import.schema.js';

export type { ImportDocument };
export type ImportCounts = Pick<ImportDocument, 'created' | 'updated' | 'refused'>;
export type ImportProgress = ImportCounts & Pick<ImportDocument, 'state' | 'done'>;

const initialProgress = { state: 'running', done: 0, created: 0, updated: 0, refused: 0 } as const;

@Injectable()
export class LeadImportsRepository {
  constructor(@InjectModel('Import') private readonly imports: TenantModel<ImportDocument>) {}

  async find(organizationId: Types.ObjectId, fileHash: string): Promise<ImportDocument | null> {
    return this.imports.findOne({ organizationId, fileHash }).lean();
  }

  /** Returns the earlier import of the file, reset if it restarts, or else a new one. */
  async begin(
    organizationId: Types.ObjectId,
    file: Pick<ImportDocument, 'fileHash' | 'total'>,
    now: Date,
    { isRestarted = false } = {},
  ): Promise<ImportDocument> {
    for (;;) {
      const found = await this.find(organizationId, file.fileHash);
      if (found !== null && isRestarted) await this.update(found, initialProgress, now);
      if (found !== null) return isRestarted ? { ...found, ...initialProgress } : found;
      const times = { createdAt: now, updatedAt: now };
      const created = {
        _id: new Types.ObjectId(),
        organizationId,
        ...initialProgress,
        ...file,
        ...times,
      };
      try {
        await this.imports.insertMany([created], { lean: true });
        return created;
      } catch (error) {
        if (duplicateKey(error) === undefined) throw error;
      }
    }
  }

  /** Returns false if another process has changed the number of stored entries, which was `from`. */
  async update(
    { organizationId, _id }: ImportDocument,
    progress: ImportProgress,
    now: Date,
    from?: number,
  ): Promise<boolean> {
    const filter = { organizationId, _id, ...(from !== undefined && { done: from }) };
    const $set = { ...progress, updatedAt: now };
    const { matchedCount } = await this.imports.updateOne(filter, { $set });
    return matchedCount > 0;
  }
}
