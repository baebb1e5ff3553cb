import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { Clock } from '../../core/configuration/clock.js';
import { includingDeleted, notDeleted } from '../../core/database/documents/tenant-document.js';
import type { BatchOptions } from '../../core/database/documents/tenant-queries.js';
import { Snapshots, withoutSession } from '../../core/database/transactions/sessions.js';
import {
  type Continuation,
  ListPaginator,
  pollOrder,
} from '../../core/http/responses/list-paginator.js';
import { jsonList } from '../../core/http/responses/response-streams.js';
import { splitList } from '../../core/values/text.js';
import { LeadLookupService } from '../../leads/reading/lead-lookup.service.js';
import type { Caller } from '../../tenants/keys/caller.js';
import { UnitLookupService } from '../../units/reading/unit-lookup.service.js';
import { ChequeWalletsRepository } from '../cheques/cheque-wallets.repository.js';
import type { ReservationDocument } from '../reservation.schema.js';
import type { ListReservationsQuery } from './list-reservations.query.js';
import {
  type ReservationFilter,
  ReservationListsRepository,
} from './reservation-lists.repository.js';
import { presentReservation, type ReservationDto } from './reservation.dto.js';

/** Beyond this number of changed wallets, every reservation counts as changed. */
const maxChangedWallets = 1_000;
/** A wallet may have megabytes, so the wallets of a page are read in parts. */
const reservationsPerPart = 10;

@Injectable()
export class ReservationListsService {
  constructor(
    private readonly reservations: ReservationListsRepository,
    private readonly wallets: ChequeWalletsRepository,
    private readonly units: UnitLookupService,
    private readonly leads: LeadLookupService,
    private readonly snapshots: Snapshots,
    private readonly clock: Clock,
  ) {}

  /**
   * Reads a page of reservations and their wallets from one snapshot (rule RES-10).
   *
   * @throws DomainError 400 for an unusable cursor
   */
  async page(
    { organizationId }: Caller,
    query: ListReservationsQuery,
  ): Promise<{ text: AsyncGenerator<Buffer, void>; end: Continuation }> {
    const paginator = new ListPaginator(query, this.clock.now(), {
      name: `reservations ${organizationId.toHexString()}`,
      order: (isCopy) => pollOrder(query, isCopy),
      newestChange: () => withoutSession(() => this.reservations.newestChange(organizationId)),
      hasPageNumbers: false,
    });
    const filter = { $and: await this.filtersOf(organizationId, query) };
    const { after, order: sort } = paginator;
    const snapshot = this.snapshots.open();
    const { data, pagination, asOf } = await snapshot.run(() =>
      paginator.page({
        count: () => this.reservations.count(organizationId, filter),
        batches: (part: BatchOptions<ReservationDocument>) =>
          this.reservations.batches(organizationId, filter, { sort, after, ...part }),
        present: async (reservations: ReservationDocument[]) => reservations,
      }),
    );
    const text = jsonList(this.withWallets(organizationId, data), () => ({ pagination }));
    return { text: snapshot.stream(text), end: { next: pagination.next ?? null, asOf } };
  }

  private async *withWallets(
    organizationId: Types.ObjectId,
    reservations: readonly ReservationDocument[],
  ): AsyncGenerator<ReservationDto[], void> {
    for (let start = 0; start < reservations.length; start += reservationsPerPart) {
      const part = reservations.slice(start, start + reservationsPerPart);
      const ids = part.map(({ _id }) => _id);
      const wallets = await this.wallets.findOfAll(organizationId, ids);
      yield part.map((reservation) =>
        presentReservation(
          reservation,
          wallets.find(({ reservationId }) => reservation._id.equals(reservationId)),
        ),
      );
    }
  }

  private async filtersOf(
    organizationId: Types.ObjectId,
    query: ListReservationsQuery,
  ): Promise<ReservationFilter[]> {
    const { updatedSince, includeDeleted, recordSystemId, unit, lead, status } = query;
    return [
      includeDeleted === '1' ? includingDeleted : notDeleted,
      updatedSince === undefined ? {} : await this.changedSince(organizationId, updatedSince),
      recordSystemId === undefined ? {} : { recordSystemId },
      unit === undefined
        ? {}
        : { unitId: { $in: await this.units.idsNamed(organizationId, unit) } },
      lead === undefined ? {} : { leadId: { $in: await this.leadIds(organizationId, lead) } },
      status === undefined ? {} : { status: { $in: splitList(status) } },
    ].filter((condition) => Object.keys(condition).length > 0) as ReservationFilter[];
  }

  /** Includes reservations whose wallet changed, which other programs write alone. */
  private async changedSince(
    organizationId: Types.ObjectId,
    since: Date,
  ): Promise<ReservationFilter> {
    const limit = maxChangedWallets + 1;
    const ids = await this.reservations.idsWithChangedWallet(organizationId, since, limit);
    if (ids === null) return {};
    const alternatives = ids.length === 0 ? [] : [{ _id: { $in: ids } }];
    return this.reservations.changedSince(organizationId, since, alternatives);
  }

  private async leadIds(organizationId: Types.ObjectId, text: string): Promise<Types.ObjectId[]> {
    const found = await this.leads.findByIds(organizationId, text);
    return found.map(({ _id }) => _id);
  }
}
