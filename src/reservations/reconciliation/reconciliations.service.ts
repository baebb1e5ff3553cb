import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import type { Caller } from '../../tenants/keys/caller.js';
import { parseObjectId } from '../../core/database/documents/object-id.js';
import { Snapshots } from '../../core/database/transactions/snapshots.js';
import { Transactions } from '../../core/database/transactions/transactions.js';
import {
  ChequeWalletsRepository,
  type RecordedWallet,
} from '../cheques/cheque-wallets.repository.js';
import { ReservationsRepository } from '../reservations.repository.js';
import { defaultLanguage } from '../../core/localization/language.js';
import { MessagesService } from '../../core/localization/messages.service.js';
import { type LedgerError, readLedger } from './ledger-file.js';
import { differencesOf, type IndexedEntry, unmentionedCheques } from './ledger-comparison.js';
import {
  type DifferenceDto,
  type ReconciliationDto,
  type ReconciliationResponseDto,
  type UnmentionedChequeDto,
  unmentionedLimit,
} from './reconciliation.dto.js';

/** The comparison of a file, or what is wrong with it. */
export type FileOutcome =
  | { readonly errors: readonly LedgerError[]; readonly comparison?: never }
  | { readonly errors?: never; readonly comparison: ReconciliationResponseDto };

/** Of so many reservations the wallets, up to 4 MiB each, are in memory at the same time. */
const reservationsInBatch = 100;

/** Compares ledgers of collection partners with what is stored (rule RES-9). */
@Injectable()
export class ReconciliationsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly snapshots: Snapshots,
    private readonly reservations: ReservationsRepository,
    private readonly wallets: ChequeWalletsRepository,
    private readonly messages: MessagesService,
  ) {}

  /**
   * What differs between a ledger and the cheques of an organization, as they were at one moment.
   *
   * @throws DatabaseUnavailableError when DATABASE_DEADLINE_MS is over (rule HTTP-12)
   */
  async reconcile(
    { organizationId, expiresAt }: Caller,
    ledger: ReconciliationDto,
  ): Promise<ReconciliationResponseDto> {
    // One snapshot, so that a callback under way is seen whole or not at all.
    return this.transactions.run(() => this.compare(organizationId, ledger), { expiresAt });
  }

  /**
   * As {@link reconcile}, for a ledger of any length in a CSV file (rule OPS-6). It may take the five minutes for
   * which the server keeps a snapshot.
   *
   * @throws Error when the text is no CSV
   */
  async reconcileFile(
    organizationId: Types.ObjectId,
    text: string,
    complete: boolean,
  ): Promise<FileOutcome> {
    const { entries, errors } = await readLedger(text, (message) =>
      this.messages.textOf(message, defaultLanguage),
    );
    if (errors.length > 0) return { errors };
    const ledger = { cheques: entries, complete };
    const compare = async () => this.compare(organizationId, ledger);
    return { comparison: await this.snapshots.during(compare) };
  }

  private async compare(
    organizationId: Types.ObjectId,
    { cheques, complete = false }: ReconciliationDto,
  ): Promise<ReconciliationResponseDto> {
    const ledger = byReservation(cheques);
    const differences = await this.differences(organizationId, ledger);
    const unmentioned = complete ? await this.unmentioned(organizationId, ledger) : [];
    const matching = cheques.length - new Set(differences.map(({ index }) => index)).size;
    return {
      ok: differences.length === 0 && unmentioned.length === 0,
      compared: cheques.length,
      matching,
      differences,
      ...(complete && {
        unmentioned: unmentioned.slice(0, unmentionedLimit),
        hasMore: unmentioned.length > unmentionedLimit,
      }),
    };
  }

  private async differences(
    organizationId: Types.ObjectId,
    ledger: ReadonlyMap<string, readonly IndexedEntry[]>,
  ): Promise<DifferenceDto[]> {
    const ids = [...ledger.keys()].flatMap((id) => parseObjectId(id) ?? []);
    const differences = [...ledger]
      .filter(([id]) => parseObjectId(id) === null)
      .flatMap(([, entries]) => entries.flatMap((entry) => differencesOf(entry, undefined)));
    for (let start = 0; start < ids.length; start += reservationsInBatch) {
      const batch = ids.slice(start, start + reservationsInBatch);
      const found = await this.reservations.findByIds(organizationId, batch);
      const wallets = await this.walletsOf(organizationId, found);
      for (const id of batch) {
        const ofReservation = wallets.get(id.toHexString());
        const entries = ledger.get(id.toHexString()) ?? [];
        differences.push(...entries.flatMap((entry) => differencesOf(entry, ofReservation)));
      }
    }
    return differences.toSorted((a, b) => a.index - b.index);
  }

  /** At most one more than are listed. */
  private async unmentioned(
    organizationId: Types.ObjectId,
    ledger: ReadonlyMap<string, readonly IndexedEntry[]>,
  ): Promise<UnmentionedChequeDto[]> {
    const unmentioned: UnmentionedChequeDto[] = [];
    let after: Types.ObjectId | undefined;
    do {
      const found = await this.reservations.inPartnerFlow(
        organizationId,
        reservationsInBatch,
        after,
      );
      for (const [id, wallets] of await this.walletsOf(organizationId, found)) {
        const mentioned = ledger.get(id)?.map(({ entry }) => entry.installmentId);
        unmentioned.push(...unmentionedCheques(id, wallets, new Set(mentioned)));
      }
      after = found.length < reservationsInBatch ? undefined : found.at(-1)?._id;
    } while (after !== undefined && unmentioned.length <= unmentionedLimit);
    return unmentioned;
  }

  /** The wallets of each reservation by its id, an empty list for one without. */
  private async walletsOf(
    organizationId: Types.ObjectId,
    reservations: readonly { readonly _id: Types.ObjectId }[],
  ): Promise<Map<string, readonly RecordedWallet[]>> {
    const ids = reservations.map(({ _id }) => _id);
    const wallets = await this.wallets.chequesOfReservations(organizationId, ids);
    const byReservationId = Map.groupBy(wallets, ({ reservationId }) =>
      reservationId.toHexString(),
    );
    return new Map(
      ids.map((id) => [id.toHexString(), byReservationId.get(id.toHexString()) ?? []]),
    );
  }
}

/** The entries of each reservation, by its id as ids are written here, or as it was sent. */
function byReservation(
  entries: ReconciliationDto['cheques'],
): ReadonlyMap<string, readonly IndexedEntry[]> {
  return Map.groupBy(
    entries.map((entry, index) => ({ index, entry })),
    ({ entry: { reservationId } }) => parseObjectId(reservationId)?.toHexString() ?? reservationId,
  );
}
