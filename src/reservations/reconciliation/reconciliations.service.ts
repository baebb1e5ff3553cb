import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { parseObjectId } from '../../core/database/documents/tenant-document.js';
import { Snapshots } from '../../core/database/transactions/sessions.js';
import { Transactions } from '../../core/database/transactions/transactions.js';
import { validatedDto } from '../../core/validation/validate-dto.js';
import { defaultLanguage } from '../../core/localization/language.js';
import { MessagesService } from '../../core/localization/messages.service.js';
import { type CsvRow, readCsv } from '../../core/values/csv.js';
import type { Caller } from '../../tenants/keys/caller.js';
import type { ChequeWalletDocument } from '../cheques/cheque-wallet.schema.js';
import { ChequeWalletsRepository } from '../cheques/cheque-wallets.repository.js';
import { ReservationsRepository } from '../reservations.repository.js';
import { compareEntry, type IndexedEntry, unmentionedCheques } from './ledger-comparison.js';
import {
  type DifferenceDto,
  LedgerEntryDto,
  type ReconciliationDto,
  type ReconciliationResponseDto,
  type UnmentionedChequeDto,
  maxUnmentionedCheques,
} from './reconciliation.dto.js';

export type LedgerFileResult =
  | { readonly errors: readonly { line: number; message: string }[]; readonly comparison?: never }
  | { readonly errors?: never; readonly comparison: ReconciliationResponseDto };

type Column = keyof LedgerEntryDto;

const required = ['reservationId', 'installmentId', 'chequeStatus'] satisfies Column[];
const names = [...required, 'chequeNumber', 'chequeAmount'] satisfies Column[];

/** Limits memory: each reservation has up to 4 MiB of wallets. */
const reservationsPerBatch = 100;

/** Keys are reservation ids in lower case, or the sent string if it is not an id. */
type Ledger = ReadonlyMap<string, readonly IndexedEntry[]>;

/** Compares a partner's ledger with the stored cheques, but changes nothing (rule RES-9). */
@Injectable()
export class ReconciliationsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly snapshots: Snapshots,
    private readonly messages: MessagesService,
    private readonly reservations: ReservationsRepository,
    private readonly wallets: ChequeWalletsRepository,
  ) {}

  /** @throws DatabaseUnavailableError after DATABASE_DEADLINE_MS (rule HTTP-12) */
  async reconcile(
    { organizationId, expiresAt }: Caller,
    ledger: ReconciliationDto,
  ): Promise<ReconciliationResponseDto> {
    // In a snapshot, a concurrent callback is visible completely or not at all.
    return this.transactions.run(() => this.compare(organizationId, ledger), { expiresAt });
  }

  /**
   * Compares a CSV ledger of any length (rule OPS-6).
   *
   * @throws Error for invalid CSV, or columns other than the fields of an entry, each once
   */
  async compareFile(
    organizationId: Types.ObjectId,
    text: string,
    complete: boolean,
  ): Promise<LedgerFileResult> {
    const entries = readCsv(text, { names, required }).rows.map(ledgerEntry);
    const errors = entries.flatMap(({ line, messages }) =>
      messages.map((message) => {
        return { line, message: this.messages.textOf(message, defaultLanguage) };
      }),
    );
    if (errors.length > 0) return { errors };
    const cheques = entries.map(({ dto }) => dto as LedgerEntryDto);
    // The server keeps the snapshot for five minutes, which replaces a deadline.
    const comparison = await this.snapshots.withSnapshot(() =>
      this.compare(organizationId, { cheques, complete }),
    );
    return { comparison };
  }

  private async compare(
    organizationId: Types.ObjectId,
    { cheques, complete = false }: ReconciliationDto,
  ): Promise<ReconciliationResponseDto> {
    const ledger = Map.groupBy(
      cheques.map((entry, index) => ({ index, entry })),
      ({ entry: { reservationId: id } }) => parseObjectId(id)?.toHexString() ?? id,
    );
    const differences = await this.differences(organizationId, ledger);
    const unmentioned = complete ? await this.unmentioned(organizationId, ledger) : [];
    return {
      ok: differences.length === 0 && unmentioned.length === 0,
      compared: cheques.length,
      matching: cheques.length - new Set(differences.map(({ index }) => index)).size,
      differences,
      ...(complete && {
        unmentioned: unmentioned.slice(0, maxUnmentionedCheques),
        hasMore: unmentioned.length > maxUnmentionedCheques,
      }),
    };
  }

  private async differences(
    organizationId: Types.ObjectId,
    ledger: Ledger,
  ): Promise<DifferenceDto[]> {
    const groups = [...ledger];
    const differences: DifferenceDto[] = [];
    for (let start = 0; start < groups.length; start += reservationsPerBatch) {
      const batch = groups.slice(start, start + reservationsPerBatch);
      const ids = batch.flatMap(([id]) => parseObjectId(id) ?? []);
      const found = await this.reservations.findAllActive(organizationId, ids);
      const wallets = await this.walletsOf(
        organizationId,
        found.map(({ _id }) => _id),
      );
      for (const [id, entries] of batch) {
        differences.push(...entries.flatMap((entry) => compareEntry(entry, wallets.get(id))));
      }
    }
    return differences.toSorted((a, b) => a.index - b.index);
  }

  private async unmentioned(
    organizationId: Types.ObjectId,
    ledger: Ledger,
  ): Promise<UnmentionedChequeDto[]> {
    const unmentioned: UnmentionedChequeDto[] = [];
    for await (const batch of this.reservations.idsInPartnerFlow(organizationId)) {
      const ids = batch.map(({ _id }) => _id);
      for (const [id, wallets] of await this.walletsOf(organizationId, ids)) {
        const mentioned = ledger.get(id)?.map(({ entry }) => entry.installmentId);
        unmentioned.push(...unmentionedCheques(id, wallets, new Set(mentioned)));
      }
      if (unmentioned.length > maxUnmentionedCheques) break;
    }
    return unmentioned;
  }

  private async walletsOf(
    organizationId: Types.ObjectId,
    ids: readonly Types.ObjectId[],
  ): Promise<ReadonlyMap<string, readonly ChequeWalletDocument[]>> {
    const found = await this.wallets.findWithoutHistories(organizationId, ids);
    const wallets = Map.groupBy(found, ({ reservationId }) => reservationId.toHexString());
    return new Map(ids.map((id) => [id.toHexString(), wallets.get(id.toHexString()) ?? []]));
  }
}

function ledgerEntry({ line, cells: { chequeAmount, ...texts } }: CsvRow) {
  const amount = chequeAmount === undefined ? {} : { chequeAmount: amountOf(chequeAmount) };
  return { line, ...validatedDto(LedgerEntryDto, { ...texts, ...amount }) };
}

/** Returns the string itself if it is not a number: validation then refuses it. */
function amountOf(text: string): number | string {
  return /^-?\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : text;
}
