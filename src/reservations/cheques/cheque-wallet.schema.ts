import type { Type } from '@nestjs/common';
import { Schema, SchemaFactory } from '@nestjs/mongoose';
import type { Types } from 'mongoose';
import {
  declareField,
  type FieldOptions,
  present,
  responseClass,
} from '../../core/fields/declared-fields.js';
import {
  Choice,
  NullableRecordId,
  NullableTime,
  OptionalNumber,
  OptionalText,
  OptionalTime,
  RecordId,
  PresentedDocument,
  Text,
} from '../../core/fields/fields.js';
import { addChangeIndexes, notDeleted } from '../../core/database/documents/tenant-document.js';
import { onlyObjects } from '../../core/values/json.js';
import { type ChequeStatus, chequeStatuses } from '../transitions.js';

@Schema({ _id: false })
class ChequeFields {
  @Choice(chequeStatuses, { example: 'collected' })
  readonly status!: ChequeStatus;

  @OptionalText({ example: '000123' })
  readonly chequeNumber?: string;

  @OptionalNumber({ example: 250_000 })
  readonly chequeAmount?: number;
}

/** Entries of the history never change. */
@Schema({ _id: false })
export class ChequeHistoryEntry extends ChequeFields {
  @NullableTime({ description: 'When the report arrived.', example: '2026-01-05T09:30:00.000Z' })
  readonly changedAt?: Date | null;

  @Text({ description: 'Who reported it.', example: 'External API' })
  readonly source!: string;
}

@Schema({ _id: false })
export class Cheque extends ChequeFields {
  @Text({ example: 'installment-3' })
  readonly installmentId!: string;

  @OptionalTime()
  readonly dueDate?: Date;

  @ObjectList(ChequeHistoryEntry, { description: 'Every report, oldest first.' })
  readonly statusHistory?: readonly ChequeHistoryEntry[];
}

/** Is not strict, because updates also store the undeclared `statusLock`. */
@Schema({ collection: 'chequeWallets', strict: false })
export class ChequeWalletDocument extends PresentedDocument {
  @RecordId({ example: '6740b1f2c3d4e5f607182940' })
  reservationId!: Types.ObjectId;

  @NullableRecordId({ example: '6740b1f2c3d4e5f607182942' })
  unitId?: Types.ObjectId | null;

  @NullableTime({ stored: false })
  declare deletedAt?: Date | null;

  @ObjectList(Cheque)
  cheques?: readonly Cheque[];

  /** A new value makes parallel reports conflict (rule CALL-12). */
  statusLock?: Types.ObjectId;
}

function ObjectList(type: Type, options: FieldOptions = {}): PropertyDecorator {
  return declareField(
    {
      stored: { type: [SchemaFactory.createForClass(type)] },
      read: (value) => onlyObjects(value as object[]).map((item) => present(type, item)),
      api: { type: [responseClass(type)] },
    },
    options,
  );
}

export const chequeWalletSchema = SchemaFactory.createForClass(ChequeWalletDocument);

chequeWalletSchema.index(
  { organizationId: 1, reservationId: 1 },
  {
    name: 'activeOfReservation',
    unique: true,
    partialFilterExpression: { isDeleted: false, reservationId: { $exists: true } },
  },
);
export const dueDateIndex = 'byDueDate';

chequeWalletSchema.index(
  { organizationId: 1, 'cheques.dueDate': 1, _id: 1 },
  { name: dueDateIndex, partialFilterExpression: notDeleted },
);
/** A change of its wallet is a change of the reservation. */
addChangeIndexes(chequeWalletSchema);
chequeWalletSchema.index(
  { organizationId: 1, reservationId: 1, isDeleted: 1, deletedAt: -1 },
  { name: 'ofReservation' },
);
