import type { CallbackDto } from '../callback/callback.dto.js';
import { onlyObjects, withoutUndefined } from '../../core/values/json.js';
import type { ChequeRequestDto } from '../upsert/upsert-reservation.dto.js';
import type { Cheque, ChequeHistoryEntry, ChequeWalletDocument } from './cheque-wallet.schema.js';

export type ChequeReport = Required<Pick<CallbackDto, 'installmentId' | 'chequeStatus'>> &
  ChequeDetails;

interface ChequeDetails {
  readonly chequeNumber?: string | undefined;
  readonly chequeAmount?: number | undefined;
  readonly dueDate?: Date | undefined;
}

export function chequeReport(callback: CallbackDto): ChequeReport | undefined {
  const { installmentId, chequeStatus, chequeNumber, chequeAmount } = callback;
  if (installmentId === undefined || chequeStatus === undefined) return undefined;
  return { installmentId, chequeStatus, chequeNumber, chequeAmount };
}

export function chequesOf({ cheques }: Pick<ChequeWalletDocument, 'cheques'>): Cheque[] {
  return onlyObjects(cheques);
}

function listOrEmpty<T>(stored: readonly T[] | undefined): readonly T[] {
  return Array.isArray(stored) ? (stored as readonly T[]) : [];
}

export interface FoundCheque {
  readonly wallet: ChequeWalletDocument;
  readonly cheque: Cheque;
}

/** `missing`: not in the active wallet; `skip`: no wallet is active (rule CALL-6). */
export function findCheque(
  wallets: readonly ChequeWalletDocument[],
  installmentId: string,
): FoundCheque | 'skip' | 'missing' {
  for (const wallet of wallets) {
    const cheque = chequesOf(wallet).find((candidate) => candidate.installmentId === installmentId);
    if (cheque !== undefined) return { wallet, cheque };
  }
  return wallets.some(({ isDeleted }) => !isDeleted) ? 'missing' : 'skip';
}

/**
 * Adds sent cheques as pending. Cheques of the wallet keep status and history, and get the sent fields (rule RES-5).
 * The list keeps invalid items of other programs.
 */
export function mergeCheques(
  stored: ChequeWalletDocument['cheques'],
  requests: readonly ChequeRequestDto[],
): Cheque[] {
  const requested = new Map(requests.map((request) => [request.installmentId, fieldsOf(request)]));
  const cheques = new Set(onlyObjects(stored));
  const existing = new Set([...cheques].map(({ installmentId }) => installmentId));
  const added = [...requested].filter(([installmentId]) => !existing.has(installmentId));
  return [
    ...listOrEmpty(stored).map((cheque) => {
      const fields = cheques.has(cheque) ? requested.get(cheque.installmentId) : undefined;
      return fields === undefined ? cheque : { ...cheque, ...fields };
    }),
    ...added.map(([installmentId, fields]) => ({
      installmentId,
      status: 'pending' as const,
      ...fields,
      statusHistory: [],
    })),
  ];
}

/** Adds a history entry even for a repeated report, because reports are not idempotent (rule CALL-8). */
export function applyReport(cheque: Cheque, report: ChequeReport, changedAt: Date): Cheque {
  const fields = { status: report.chequeStatus, ...fieldsOf(report) };
  const entry: ChequeHistoryEntry = { ...fields, changedAt, source: 'External API' };
  return { ...cheque, ...fields, statusHistory: [...listOrEmpty(cheque.statusHistory), entry] };
}

function fieldsOf({ chequeNumber, chequeAmount, dueDate }: ChequeDetails) {
  return withoutUndefined({ chequeNumber, chequeAmount, dueDate });
}
