import { Schema } from '@nestjs/mongoose';
import type { Types } from 'mongoose';
import { DeletableDocument } from '../database/documents/tenant-document.js';
import { Flag, RecordId, Time } from './fields.js';

/** The fields of conventions that responses show, before those of the class. */
@Schema()
export class ShownDocument extends DeletableDocument {
  @RecordId({ stored: false })
  declare _id: Types.ObjectId;

  @Flag({ stored: false })
  declare isDeleted: boolean;

  @Time({ stored: false })
  declare createdAt: Date;

  @Time({ stored: false })
  declare updatedAt: Date;
}
