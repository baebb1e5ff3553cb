import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { Clock } from '../../core/configuration/clock.js';
import { type KeysetPosition, positionOf } from '../../core/database/documents/keyset.js';
import { asHexId } from '../../core/database/documents/stored-values.js';
import { objectIds, parseObjectId } from '../../core/database/documents/tenant-document.js';
import { DomainError } from '../../core/errors/domain-error.js';
import { httpErrors } from '../../core/errors/http-errors.js';
import { present } from '../../core/fields/declared-fields.js';
import { ListPaginator, type ListPage } from '../../core/http/responses/list-paginator.js';
import { withoutUndefined } from '../../core/values/json.js';
import { splitList } from '../../core/values/text.js';
import type { Caller } from '../../tenants/keys/caller.js';
import { chequesOf } from '../cheques/cheques.js';
import type { ChequeWalletDocument } from '../cheques/cheque-wallet.schema.js';
import { ReservationsRepository } from '../reservations.repository.js';
import { DueCheque, type DueChequeDto, type ListChequesQuery } from './due-cheque.dto.js';
import {
  DueChequesRepository,
  dueOrder,
  hasBounds,
  type OrderedCheque,
  type WantedCheques,
} from './due-cheques.repository.js';

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
      hasPageNumbers: false,
    });
    const after = chequePosition(paginator.after);
    const wanted = { organizationId, ...(await this.wantedBy(organizationId, query)) };
    return paginator.page({
      count: () => this.cheques.count(wanted),
      batches: ({ limit }) => this.ofActiveReservations(wanted, after, limit),
      present: async (cheques: OrderedCheque[]) =>
        cheques.map((cheque) => present(DueCheque, cheque)),
    });
  }

  private async wantedBy(
    organizationId: Types.ObjectId,
    { status, reservation, dueFrom, dueTo }: ListChequesQuery,
  ): Promise<Omit<WantedCheques, 'organizationId'>> {
    return {
      ...(status !== undefined && { statuses: splitList(status) }),
      ...(reservation !== undefined && {
        reservationIds: await this.reservationIds(organizationId, reservation),
      }),
      from: dueFrom === undefined ? {} : { $gte: dueFrom },
      to: dueTo === undefined ? {} : { $lte: dueTo },
    };
  }

  private async reservationIds(
    organizationId: Types.ObjectId,
    text: string,
  ): Promise<Types.ObjectId[]> {
    const found = await this.reservations.findByExternalId(organizationId, text);
    return [parseObjectId(text) ?? [], found.map(({ _id }) => _id)].flat();
  }

  /** Leaves out cheques of deleted reservations, and reads on in their place. */
  private async *ofActiveReservations(
    wanted: WantedCheques,
    start: ChequePosition | undefined,
    limit: number,
  ): AsyncGenerator<OrderedCheque[], void> {
    let after = start;
    for (let left = limit; left > 0;) {
      const found: OrderedCheque[] = [];
      for await (const some of this.inOrder(wanted, { after, limit: left })) found.push(...some);
      const isEnd = found.length < left;
      const listed = await this.withReservations(wanted.organizationId, found);
      yield listed;
      const last = found.at(-1);
      if (isEnd || last === undefined) return;
      left -= listed.length;
      after = chequePosition(positionOf(last, dueOrder));
    }
  }

  private async withReservations(
    organizationId: Types.ObjectId,
    cheques: readonly OrderedCheque[],
  ): Promise<OrderedCheque[]> {
    const ids = objectIds(cheques.map(({ reservationId }) => reservationId));
    const found = await this.reservations.findAll(organizationId, ids);
    const byId = new Map(found.map((reservation) => [reservation._id.toHexString(), reservation]));
    return cheques.flatMap((cheque) => {
      const reservation = byId.get(asHexId(cheque.reservationId));
      const { recordSystemId, status, isDeleted } = reservation ?? {};
      const shown = withoutUndefined({
        reservationRecordSystemId: recordSystemId,
        reservationStatus: status,
      });
      return isDeleted === true ? [] : { ...cheque, ...shown };
    });
  }

  /**
   * Yields at most `limit` cheques in the order of due dates. No index has this order over the cheques of all wallets.
   * So each step reads the wallets up to the latest of the next due dates, then that day in the order of wallets:
   * a page costs a few pages, however many cheques are due later or on one day.
   */
  private async *inOrder(
    wanted: WantedCheques,
    { after, limit }: { readonly after: ChequePosition | undefined; readonly limit: number },
  ): AsyncGenerator<OrderedCheque[], void> {
    let left = limit;
    const read = async (dueDate: object | null, fromWallet?: Types.ObjectId | null) => {
      const part = { dueDate, after: after?.position, limit: left };
      const start = fromWallet === undefined ? {} : { fromWallet };
      const found = await this.cheques.page(wanted, { ...part, ...start });
      left -= found.length;
      return found;
    };
    let { from } = wanted;
    if (after?.dueDate) {
      yield await read({ $eq: after.dueDate }, after.walletId);
      from = { $gt: after.dueDate };
    }
    let isDone = left === 0 || after?.isUndated === true;
    while (!isDone) {
      const dueDate = { ...from, ...wanted.to };
      const next = await this.cheques.nextDueDates(wanted, dueDate, limit);
      const latest = next.length < limit ? null : latestStart(next, wanted, from);
      if (latest === null) {
        yield await read(dueDate);
        isDone = true;
      } else {
        yield await read({ ...from, $lt: latest });
        if (left > 0) yield await read({ $eq: latest }, null);
        from = { $gt: latest };
        isDone = left === 0;
      }
    }
    if (left > 0 && !hasBounds(wanted))
      yield await read(null, after?.isUndated ? after.walletId : null);
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

/** Returns the latest of the dates on which the wallets begin to match; null if another program stored no date. */
function latestStart(
  wallets: readonly Pick<ChequeWalletDocument, 'cheques'>[],
  { statuses }: WantedCheques,
  { $gt, $gte }: WantedCheques['from'],
): Date | null {
  const starts = wallets.map((wallet) => {
    const times = chequesOf(wallet)
      .filter(({ status }) => statuses === undefined || statuses.includes(status))
      .flatMap(({ dueDate }) => (dueDate instanceof Date ? dueDate.getTime() : []))
      .filter((time) => time > ($gt?.getTime() ?? -Infinity))
      .filter((time) => time >= ($gte?.getTime() ?? -Infinity));
    return Math.min(...times);
  });
  const known = starts.filter((time) => Number.isFinite(time));
  return known.length === 0 ? null : new Date(Math.max(...known));
}
