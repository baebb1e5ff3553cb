import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes, type Types } from 'mongoose';

/** How far a migration has come on this database. */
@Schema({ collection: 'migrations' })
export class MigrationDocument {
  declare _id: Types.ObjectId;

  @Prop({ required: true })
  version!: number;

  @Prop({ required: true })
  name!: string;

  @Prop({ type: Date, required: true })
  startedAt!: Date;

  @Prop({ type: Date })
  finishedAt!: Date | null;

  /** The last document that a backfill finished, after which an interrupted one continues. */
  @Prop({ type: SchemaTypes.ObjectId })
  resumeAfter!: Types.ObjectId | null;
}

export const migrationSchema = SchemaFactory.createForClass(MigrationDocument);

migrationSchema.index({ version: 1 }, { name: 'version', unique: true });
