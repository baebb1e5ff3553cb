import { Injectable } from '@nestjs/common';
import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Types } from 'mongoose';
import { duplicateKey } from '../../core/database/connection/database-errors.js';
import {
  InjectCollection,
  type TenantCollection,
} from '../../core/database/documents/tenant-collection.js';
import { TenantDocument } from '../../core/database/documents/tenant-document.js';

/** Imported values may be personal, so the record contains none (rules LEAD-16 and OPS-34). */
@Schema({ collection: 'imports' })
export class ImportDocument extends TenantDocument {
  @Prop({ type: String, required: true })
  kind!: 'leads' | 'catalogue';

  /** Hexadecimal SHA-256 of the file: importing the same file again continues this import. */
  @Prop({ type: String })
  fileHash?: string;

  /** The state stays `running` when the process is killed. */
  @Prop({ type: String, required: true })
  state!: 'running' | 'finished' | 'interrupted';

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
importSchema.index({ organizationId: 1, kind: 1, createdAt: -1 }, { name: 'newestFirst' });

export type ImportCounts = Pick<ImportDocument, 'created' | 'updated' | 'refused'>;
export type ImportProgress = ImportCounts & Pick<ImportDocument, 'state' | 'done'>;

const initialProgress = { state: 'running', done: 0, created: 0, updated: 0, refused: 0 } as const;

@Injectable()
export class ImportsService {
  constructor(
    @InjectCollection('Import') private readonly imports: TenantCollection<ImportDocument>,
  ) {}

  find(organizationId: Types.ObjectId, fileHash: string): Promise<ImportDocument | null> {
    return this.imports.findOne(organizationId, { fileHash });
  }

  /** Returns the earlier import of the file, reset if it restarts, or else a new one. */
  async begin(
    organizationId: Types.ObjectId,
    file: Pick<ImportDocument, 'kind' | 'fileHash' | 'total'>,
    now: Date,
    { isRestarted = false } = {},
  ): Promise<ImportDocument> {
    for (;;) {
      const { fileHash } = file;
      const found = fileHash === undefined ? null : await this.find(organizationId, fileHash);
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
        await this.imports.insert(created);
        return created;
      } catch (error) {
        if (duplicateKey(error) === undefined) throw error;
      }
    }
  }

  /** Returns false if another process has changed the number of stored entries, which was `from`. */
  update(
    { organizationId, _id }: ImportDocument,
    progress: ImportProgress,
    now: Date,
    from?: number,
  ): Promise<boolean> {
    const filter = { _id, ...(from !== undefined && { done: from }) };
    return this.imports.updateOne(organizationId, filter, {
      $set: { ...progress, updatedAt: now },
    });
  }

  findNewest(
    organizationId: Types.ObjectId,
    kind: ImportDocument['kind'],
    limit: number,
  ): Promise<ImportDocument[]> {
    return this.imports.find(organizationId, { kind }, { sort: { createdAt: -1 }, limit });
  }
}
