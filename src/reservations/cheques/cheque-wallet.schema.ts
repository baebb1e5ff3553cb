import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes, type Types } from 'mongoose';
import { DeletableDocument } from '../../core/database/documents/tenant-document.js';
import type { ChequeStatus } from '../transitions.js';

@Schema({ _id: false })
class ChequeFields {
  @Prop({ type: String })
  readonly status!: ChequeStatus;

  @Prop({ type: String })
  readonly chequeNumber?: string;

  @Prop({ type: Number })
  readonly chequeAmount?: number;
}

/** One report about a cheque. Entries are never changed. */
@Schema({ _id: false })
export class ChequeHistoryEntry extends ChequeFields {
  @Prop({ type: Date })
  readonly changedAt?: Date;

  @Prop({ type: String })
  readonly source!: string;
}

@Schema({ _id: false })
export class Cheque extends ChequeFields {
  @Prop({ type: String })
  readonly installmentId!: string;

  @Prop({ type: Date })
  readonly dueDate?: Date;

  @Prop({ type: [SchemaFactory.createForClass(ChequeHistoryEntry)] })
  readonly statusHistory?: readonly ChequeHistoryEntry[];
}

@Schema({ collection: 'chequeWallets' })
export class ChequeWalletDocument extends DeletableDocument {
  @Prop({ type: SchemaTypes.ObjectId })
  reservationId!: Types.ObjectId;

  @Prop({ type: SchemaTypes.ObjectId })
  unitId?: Types.ObjectId | null;

  @Prop({ type: [SchemaFactory.createForClass(Cheque)] })
  cheques?: readonly Cheque[];

  /** Replaced to make parallel reports conflict (rule CALL-12). */
  statusLock?: Types.ObjectId;
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
chequeWalletSchema.index(
  { organizationId: 1, reservationId: 1, isDeleted: 1, deletedAt: -1 },
  { name: 'ofReservation' },
);
