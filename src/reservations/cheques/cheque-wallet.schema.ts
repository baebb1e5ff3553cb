import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes, type Types } from 'mongoose';
import { DeletableDocument } from '../../core/database/documents/tenant-document.js';
import type { ChequeStatus } from '../transitions.js';

/** What a report says about a cheque. */
@Schema({ _id: false })
class ChequeFields {
  @Prop({ type: String })
  readonly status!: ChequeStatus;

  @Prop({ type: String })
  readonly chequeNumber?: string;

  @Prop({ type: Number })
  readonly chequeAmount?: number;
}

/** One report about a cheque; entries are only ever added. */
@Schema({ _id: false })
export class ChequeHistoryEntry extends ChequeFields {
  @Prop({ type: Date })
  readonly changedAt?: Date;

  @Prop({ type: String })
  readonly source!: string;
}

/** A cheque of a wallet, known to the partner by its installment. */
@Schema({ _id: false })
export class Cheque extends ChequeFields {
  @Prop({ type: String })
  readonly installmentId!: string;

  @Prop({ type: Date })
  readonly dueDate?: Date;

  @Prop({ type: [SchemaFactory.createForClass(ChequeHistoryEntry)] })
  readonly statusHistory?: readonly ChequeHistoryEntry[];
}

/** The cheques of a reservation. */
@Schema({ collection: 'chequeWallets' })
export class ChequeWalletDocument extends DeletableDocument {
  @Prop({ type: SchemaTypes.ObjectId })
  reservationId!: Types.ObjectId;

  @Prop({ type: SchemaTypes.ObjectId })
  unitId?: Types.ObjectId | null;

  @Prop({ type: [SchemaFactory.createForClass(Cheque)] })
  cheques?: readonly Cheque[];

  /** Another one with each status that reports have to see; no content (rule CALL-12). */
  statusLock?: Types.ObjectId;
}

export const chequeWalletSchema = SchemaFactory.createForClass(ChequeWalletDocument);

/** A reservation has one active wallet. */
chequeWalletSchema.index(
  { organizationId: 1, reservationId: 1 },
  {
    name: 'activeOfReservation',
    unique: true,
    partialFilterExpression: { isDeleted: false, reservationId: { $exists: true } },
  },
);
/** Serves the wallets of a reservation, the soft-deleted ones newest first. */
chequeWalletSchema.index(
  { organizationId: 1, reservationId: 1, isDeleted: 1, deletedAt: -1 },
  { name: 'ofReservation' },
);
