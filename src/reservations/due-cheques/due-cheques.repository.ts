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

/** Cheques without a due date come last. */
export const dueOrder = { isUndated: 1, dueDate: 1, walletId: 1, installmentId: 1 } as const;

export type OrderedCheque = DueCheque & { readonly isUndated: boolean };

export interface ChequeFilter {
  readonly statuses?: readonly string[];
  readonly reservationId?: object;
}

export interface ChequePart {
  /** Condition for the due date; null finds cheques without one. */
  readonly dueDate: object | null;
  readonly after: KeysetPosition | undefined;
  readonly limit: number;
  /** If set, all cheques of the part have one due date, so wallets are read in order from this one. */
  readonly fromWallet?: Types.ObjectId | null;
}

@Injectable()
export class DueChequesRepository {
  constructor(
    @InjectModel('ChequeWallet') private readonly wallets: TenantModel<ChequeWalletDocument>,
    @InjectModel('Reservation') private readonly reservations: TenantModel<ReservationDocument>,
  ) {}

  async idsOfDeletedReservations(organizationId: Types.ObjectId): Promise<Types.ObjectId[]> {
    const deleted = await this.reservations
      .find({ organizationId, isDeleted: true }, ['_id'])
      .lean();
    return deleted.map(({ _id }) => _id);
  }

  async count(
    organizationId: Types.ObjectId,
    filter: ChequeFilter,
    dueDate: object | undefined,
  ): Promise<number> {
    const [found] = await this.wallets.aggregate<{ count: number }>([
      { $match: { organizationId, ...walletFilter(filter, dueDate) } },
      { $project: { 'cheques.statusHistory': 0 } },
      { $unwind: '$cheques' },
      { $match: itemFilter(filter, dueDate) },
      { $count: 'count' },
    ]);
    return found?.count ?? 0;
  }

  /** Returns due dates of a few wallets; by the index, which the server follows, they are the next ones. */
  async nextDueDates(
    organizationId: Types.ObjectId,
    filter: ChequeFilter,
    dueDate: object,
    limit: number,
  ): Promise<Pick<ChequeWalletDocument, 'cheques'>[]> {
    const due = { ...walletFilter(filter, dueDate), organizationId };
    const fields = ['cheques.dueDate', 'cheques.status'] as const;
    return withIndexHint(dueDateIndex, (hint) =>
      this.wallets.find(due as never, fields, { limit, ...hint }).lean(),
    );
  }

  async page(
    organizationId: Types.ObjectId,
    filter: ChequeFilter,
    { dueDate, after, limit, fromWallet }: ChequePart,
  ): Promise<OrderedCheque[]> {
    const _id = fromWallet ? { _id: { $gte: fromWallet } } : {};
    // The cheques of the first wallet may all be in the previous page.
    const inWalletOrder: PipelineStage[] =
      fromWallet === undefined ? [] : [{ $sort: { _id: 1 } }, { $limit: limit + 1 }];
    return this.wallets.aggregate<OrderedCheque>([
      { $match: { organizationId, ...walletFilter(filter, dueDate), ..._id } },
      ...inWalletOrder,
      { $project: { 'cheques.statusHistory': 0 } },
      { $unwind: '$cheques' },
      { $match: itemFilter(filter, dueDate) },
      {
        $replaceWith: {
          $mergeObjects: [
            '$cheques',
            {
              walletId: '$_id',
              reservationId: '$reservationId',
              unitId: '$unitId',
              isUndated: dueDate === null,
            },
          ],
        },
      },
      { $match: afterPosition(after, dueOrder) },
      { $sort: dueOrder },
      { $limit: limit },
    ]);
  }
}

function itemConditions(
  { statuses }: ChequeFilter,
  dueDate: object | null | undefined,
): { readonly status?: object; readonly dueDate?: object | null } {
  return {
    ...(statuses && { status: { $in: statuses } }),
    ...(dueDate !== undefined && { dueDate }),
  };
}

function walletFilter(filter: ChequeFilter, dueDate: object | null | undefined): object {
  const { reservationId } = filter;
  return {
    ...notDeleted,
    ...(reservationId && { reservationId }),
    cheques: {
      $elemMatch: { installmentId: { $exists: true }, ...itemConditions(filter, dueDate) },
    },
  };
}

function itemFilter(filter: ChequeFilter, dueDate: object | null | undefined): object {
  const { status, dueDate: due } = itemConditions(filter, dueDate);
  return {
    'cheques.installmentId': { $exists: true },
    ...(status && { 'cheques.status': status }),
    ...(due !== undefined && { 'cheques.dueDate': due }),
  };
}
