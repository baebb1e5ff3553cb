import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { Clock } from '../../core/configuration/clock.js';
import type { KeysetPosition } from '../../core/database/documents/keyset.js';
import { hexOf } from '../../core/database/documents/stored-values.js';
import { objectIds, parseObjectId } from '../../core/database/documents/tenant-document.js';
import { DomainError } from '../../core/errors/domain-error.js';
import { httpErrors } from '../../core/errors/http-errors.js';
import { present } from '../../core/fields/declared-fields.js';
import { ListPaginator, type ListPage } from '../../core/http/responses/list-paginator.js';
import { splitList } from '../../core/values/text.js';
import type { Caller } from '../../tenants/keys/caller.js';
import type { ChequeWalletDocument } from '../cheques/cheque-wallet.schema.js';
import { ReservationsRepository } from '../reservations.repository.js';
import { DueCheque, type DueChequeDto, type ListChequesQuery } from './due-cheque.dto.js';
import {
  type ChequeFilter,
  DueChequesRepository,
  dueOrder,
  type OrderedCheque,
} from './due-cheques.repository.js';

interface Bound {
  readonly $gt?: Date;
  readonly $gte?: Date;
}

interface Range {
  readonly from: Bound;
  readonly to: { readonly $lte?: Date };
}

/** Omits dates of other types, which another program may have stored. */
const dated = { $type: 'date' } as const;

/** A work list of the cheques in active wallets (rule RES-11). */
@Injectable()
export class DueChequesService {
  constructor(
    private readonly cheques: DueChequesRepository,
    private readonly reservations: ReservationsRepository,
    private readonly clock: Clock,
  ) {}

  /** @throws DomainError 400 for an unusable cursor */
  async page({ organizationId }: Caller, query: ListChequesQuery): Promise<ListPage<DueChequeDto>> {
    const paginator = new ListPaginator(query, this.clock.now(), {
      name: `cheques ${organizationId.toHexString()}`,
      order: () => dueOrder,
      newestChange: () => Promise.resolve(this.clock.now()),
      hasPageNumbers: false,
    });
    const after = chequePosition(paginator.after);
    const filter = await this.filterOf(organizationId, query);
    const range = {
      from: query.dueFrom === undefined ? {} : { $gte: query.dueFrom },
      to: query.dueTo === undefined ? {} : { $lte: query.dueTo },
    };
    const dueDate = { ...range.from, ...range.to };
    const page = await paginator.page({
      count: () =>
        this.cheques.count(
          organizationId,
          filter,
          Object.keys(dueDate).length === 0 ? undefined : dueDate,
        ),
      batches: ({ limit }) => this.inOrder(organizationId, filter, range, { after, limit }),
      present: (cheques: OrderedCheque[]) => this.withReservations(organizationId, cheques),
    });
    // A work list is no copy, so no time is safe for a poll.
    return { ...page, asOf: null };
  }

  private async withReservations(
    organizationId: Types.ObjectId,
    cheques: readonly OrderedCheque[],
  ): Promise<DueChequeDto[]> {
    const ids = objectIds(cheques.map(({ reservationId }) => reservationId));
    const found = await this.reservations.findAllActive(organizationId, ids);
    const byId = new Map(found.map((reservation) => [reservation._id.toHexString(), reservation]));
    return cheques.map((cheque) => {
      const { recordSystemId, status } = byId.get(hexOf(cheque.reservationId)) ?? {};
      const ofReservation = {
        reservationRecordSystemId: recordSystemId,
        reservationStatus: status,
      };
      return present(DueCheque, { ...cheque, ...ofReservation });
    });
  }

  private async filterOf(
    organizationId: Types.ObjectId,
    { status, reservation }: ListChequesQuery,
  ): Promise<ChequeFilter> {
    const deleted = await this.cheques.idsOfDeletedReservations(organizationId);
    const reservationId = {
      ...(deleted.length > 0 && { $nin: deleted }),
      ...(reservation !== undefined && {
        $in: await this.reservationIds(organizationId, reservation),
      }),
    };
    return {
      ...(status !== undefined && { statuses: splitList(status) }),
      ...(Object.keys(reservationId).length > 0 && { reservationId }),
    };
  }

  private async reservationIds(
    organizationId: Types.ObjectId,
    text: string,
  ): Promise<Types.ObjectId[]> {
    const found = await this.reservations.findByExternalId(organizationId, text);
    return [parseObjectId(text) ?? [], found.map(({ _id }) => _id)].flat();
  }

  /**
   * Yields at most `limit` cheques in the order of due dates. No index has this order over the cheques of all wallets.
   * So each step reads the wallets up to the latest of the next due dates, then that day in the order of wallets:
   * a page costs a few pages, however many cheques are due later or on one day.
   */
  private async *inOrder(
    organizationId: Types.ObjectId,
    filter: ChequeFilter,
    range: Range,
    { after, limit }: { readonly after: ChequePosition | undefined; readonly limit: number },
  ): AsyncGenerator<OrderedCheque[], void> {
    let left = limit;
    const read = async (dueDate: object | null, fromWallet?: Types.ObjectId | null) => {
      const part = { dueDate, after: after?.position, limit: left };
      const found = await this.cheques.page(organizationId, filter, {
        ...part,
        ...(fromWallet !== undefined && { fromWallet }),
      });
      left -= found.length;
      return found;
    };
    let from = range.from;
    if (after?.dueDate) {
      yield await read({ $eq: after.dueDate }, after.walletId);
      from = { $gt: after.dueDate };
    }
    let isDone = left === 0 || after?.isUndated === true;
    while (!isDone) {
      const dueDate = { ...dated, ...from, ...range.to };
      const next = await this.cheques.nextDueDates(organizationId, filter, dueDate, limit);
      if (next.length < limit) {
        yield await read(dueDate);
        isDone = true;
      } else {
        const latest = latestStart(next, filter, from);
        yield await read({ ...dated, ...from, $lt: latest });
        if (left > 0) yield await read({ $eq: latest }, null);
        from = { $gt: latest };
        isDone = left === 0;
      }
    }
    const isUnbounded = Object.keys({ ...range.from, ...range.to }).length === 0;
    if (left > 0 && isUnbounded) yield await read(null, after?.isUndated ? after.walletId : null);
  }
}

interface ChequePosition {
  readonly position: KeysetPosition;
  readonly isUndated: boolean;
  readonly dueDate: Date | null;
  readonly walletId: Types.ObjectId;
}

/** @throws DomainError 400 for a forged cursor */
function chequePosition(position: KeysetPosition | undefined): ChequePosition | undefined {
  if (position === undefined) return undefined;
  const [isUndated, stored, walletId] = position;
  const dueDate = stored instanceof Date ? stored : null;
  const isOwn = walletId instanceof Types.ObjectId && isUndated === (dueDate === null);
  if (!isOwn) throw new DomainError(httpErrors.cursorUnusable);
  return { position, isUndated, dueDate, walletId };
}

/** Returns the latest of the dates on which the wallets begin to match. */
function latestStart(
  wallets: readonly Pick<ChequeWalletDocument, 'cheques'>[],
  { statuses }: ChequeFilter,
  from: Bound,
): Date {
  const starts = wallets.map(({ cheques = [] }) => {
    const times = cheques
      .filter(({ status }) => statuses === undefined || statuses.includes(status))
      .flatMap(({ dueDate }) => (dueDate instanceof Date ? dueDate.getTime() : []))
      .filter((time) => isWithin(time, from));
    return Math.min(...times);
  });
  return new Date(Math.max(...starts));
}

function isWithin(time: number, { $gt, $gte }: Bound): boolean {
  return (
    ($gt === undefined || time > $gt.getTime()) && ($gte === undefined || time >= $gte.getTime())
  );
}
