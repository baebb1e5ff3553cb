import { Schema, type Types } from 'mongoose';

/** How far a migration has come on this database. */
export interface MigrationDocument {
  _id: Types.ObjectId;
  version: number;
  name: string;
  startedAt: Date;
  finishedAt: Date | null;
  /** The last document that a backfill finished, from which an interrupted one goes on. */
  resumeAfter: Types.ObjectId | null;
}

/** Collection `migrations`. */
export const migrationSchema = new Schema<MigrationDocument>(
  {
    version: { type: Number, required: true },
    name: { type: String, required: true },
    startedAt: { type: Date, required: true },
    finishedAt: { type: Date },
    resumeAfter: { type: Schema.Types.ObjectId },
  },
  { collection: 'migrations' },
);

/** One record per version. */
migrationSchema.index({ version: 1 }, { name: 'version', unique: true });
