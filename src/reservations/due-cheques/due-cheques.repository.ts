import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { PipelineStage, Types } from 'mongoose';
import { afterPosition, type KeysetPosition } from '../../core/database/documents/keyset.js';
import { notDeleted } from '../../core/database/documents/tenant-document.js';
import { withIndexHint } from '../../core/database/documents/tenant-queries.js';
import type { TenantModel } from '../../core/database/models/tenant-model.js';
import { type ChequeWalletDocument, dueDateIndex } from '../cheques/cheque-wallet.schema.js';
import type { ReservationDocument } from '../reservation.schema.js';
import type { DueCheque } from './due-cheque.dto.js';

/** Cheques without a due date come last. Another program may store one id twice in a wallet. */
export const dueOrder = {
  isUndated: 1,
  dueDate: 1,
  walletId: 1,
  installmentId: 1,
  position: 1,
} as const;

export type OrderedCheque = DueCheque & { readonly isUndated: boolean; readonly position: number };

export interface WantedCheques {
  readonly organizationId: Types.ObjectId;
  readonly statuses?: readonly string[];
  readonly reservationIds?: readonly Types.ObjectId[];
  readonly from: { readonly $gt?: Date; readonly $gte?: Date };
  readonly to: { readonly $lte?: Date };
}

export function hasBounds({ from, to }: WantedCheques): boolean {
  return Object.keys({ ...from, ...to }).length > 0;
}

interface ChequePart {
  /** Condition for the due date; null finds cheques without one. */
  readonly dueDate: object | null;
  readonly after: KeysetPosition | undefined;
  readonly limit: number;
  /** If set, all cheques of the part have one due date, so wallets are read in order from this one. */
  readonly fromWallet?: Types.ObjectId | null;
}

/** Another program may have deleted more reservations; the total then includes their cheques. */
const maxDeletedReservations = 10_000;
/** Dates of other types, which another program may have stored, are in no list. */
const isDate = { $eq: [{ $type: '$cheques.dueDate' }, 'date'] };
const isMissing = { $in: [{ $type: '$cheques.dueDate' }, ['missing', 'null', 'undefined']] };

@Injectable()
export class DueChequesRepository {
  constructor(
    @InjectModel('ChequeWallet') private readonly wallets: TenantModel<ChequeWalletDocument>,
    @InjectModel('Reservation') private readonly reservations: TenantModel<ReservationDocument>,
  ) {}

  async count(wanted: WantedCheques): Promise<number> {
    const deleted = await this.idsOfDeletedReservations(wanted);
    const dueDate = hasBounds(wanted) ? { ...wanted.from, ...wanted.to } : undefined;
    const others = deleted.length === 0 ? [] : [{ reservationId: { $nin: deleted } }];
    const [found] = await this.wallets.aggregate<{ count: number }>([
      {
        $match: {
          organizationId: wanted.organizationId,
          $and: [walletFilter(wanted, dueDate), ...others],
        },
      },
      { $project: { 'cheques.statusHistory': 0 } },
      { $unwind: '$cheques' },
      { $match: itemFilter(wanted, dueDate) },
      { $count: 'count' },
    ]);
    return found?.count ?? 0;
  }

  /** Returns due dates of a few wallets; by the index, which the server follows, they are the next ones. */
  async nextDueDates(
    wanted: WantedCheques,
    dueDate: object,
    limit: number,
  ): Promise<Pick<ChequeWalletDocument, 'cheques'>[]> {
    const { organizationId, reservationIds } = wanted;
    const due = { ...walletFilter(wanted, dueDate), organizationId };
    const fields = ['cheques.dueDate', 'cheques.status'] as const;
    // A reservation has few wallets, which another index finds.
    const index = reservationIds === undefined ? dueDateIndex : undefined;
    return withIndexHint(index, (hint) =>
      this.wallets.find(due as never, fields, { limit, ...hint }).lean(),
    );
  }

  async page(
    wanted: WantedCheques,
    { dueDate, after, limit, fromWallet }: ChequePart,
  ): Promise<OrderedCheque[]> {
    const { organizationId } = wanted;
    const _id = fromWallet ? { _id: { $gte: fromWallet } } : {};
    // The cheques of the first wallet may all be in the previous page.
    const inWalletOrder: PipelineStage[] =
      fromWallet === undefined ? [] : [{ $sort: { _id: 1 } }, { $limit: limit + 1 }];
    const ids = { walletId: '$_id', reservationId: '$reservationId', unitId: '$unitId' };
    const order = { position: '$position', isUndated: { $literal: dueDate === null } };
    return this.wallets.aggregate<OrderedCheque>([
      { $match: { organizationId, ...walletFilter(wanted, dueDate), ..._id } },
      ...inWalletOrder,
      { $project: { 'cheques.statusHistory': 0 } },
      { $unwind: { path: '$cheques', includeArrayIndex: 'position' } },
      { $match: itemFilter(wanted, dueDate) },
      { $replaceWith: { $mergeObjects: ['$cheques', ids, order] } },
      { $match: afterPosition(after, dueOrder) },
      { $sort: dueOrder },
      { $limit: limit },
    ]);
  }

  private async idsOfDeletedReservations({
    organizationId,
  }: WantedCheques): Promise<Types.ObjectId[]> {
    const deleted = await this.reservations
      .find({ organizationId, isDeleted: true }, ['_id'], { limit: maxDeletedReservations })
      .lean();
    return deleted.map(({ _id }) => _id);
  }
}

function walletFilter(wanted: WantedCheques, dueDate: object | null | undefined): object {
  const { reservationIds } = wanted;
  const { status, dueDate: due } = itemConditions(wanted, dueDate);
  const item = {
    installmentId: { $exists: true },
    ...(status && { status }),
    ...(due !== undefined && { dueDate: due }),
  };
  return {
    ...notDeleted,
    ...(reservationIds && { reservationId: { $in: reservationIds } }),
    cheques: { $elemMatch: item },
  };
}

function itemFilter(wanted: WantedCheques, dueDate: object | null | undefined): object {
  const { status, dueDate: due } = itemConditions(wanted, dueDate);
  const ofType = dueDate === null ? isMissing : isDate;
  return {
    'cheques.installmentId': { $exists: true },
    $expr: dueDate === undefined ? { $or: [isDate, isMissing] } : ofType,
    ...(status && { 'cheques.status': status }),
    ...(due !== undefined && { 'cheques.dueDate': due }),
  };
}

function itemConditions(
  { statuses }: WantedCheques,
  dueDate: object | null | undefined,
): { readonly status?: object; readonly dueDate?: object | null } {
  // Without a bound, any date is wanted.
  const isOpen = dueDate !== null && dueDate !== undefined && Object.keys(dueDate).length === 0;
  return {
    ...(statuses && { status: { $in: statuses } }),
    ...(dueDate !== undefined && { dueDate: isOpen ? { $type: 'date' } : dueDate }),
  };
}
