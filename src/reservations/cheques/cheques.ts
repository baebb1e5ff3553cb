import type { CallbackDto } from '../callback/callback.dto.js';
import type { ChequeRequestDto } from '../upsert/upsert-reservation.dto.js';
import type { Cheque, ChequeHistoryEntry, ChequeWalletDocument } from './cheque-wallet.schema.js';

export type ChequeReport = Required<Pick<CallbackDto, 'installmentId' | 'chequeStatus'>> &
  ChequeDetails;

/** What a request can say of a cheque. */
interface ChequeDetails {
  readonly chequeNumber?: string | undefined;
  readonly chequeAmount?: number | undefined;
  readonly dueDate?: Date | undefined;
}

/** The report about a cheque in a callback, if there is one. */
export function chequeReport(callback: CallbackDto): ChequeReport | undefined {
  const { installmentId, chequeStatus, chequeNumber, chequeAmount } = callback;
  if (installmentId === undefined || chequeStatus === undefined) return undefined;
  return { installmentId, chequeStatus, chequeNumber, chequeAmount };
}

/** The cheques of a wallet, without what another program put among them and is no object. */
export function chequesOf({ cheques }: Pick<ChequeWalletDocument, 'cheques'>): Cheque[] {
  return objectsOf(cheques);
}

/** The reports about a cheque, oldest first, without what is no object. */
export function historyOf({ statusHistory }: Pick<Cheque, 'statusHistory'>): ChequeHistoryEntry[] {
  return objectsOf(statusHistory);
}

function objectsOf<T>(stored: readonly T[] | undefined): T[] {
  const isObject = (item: T) => typeof item === 'object' && item !== null;
  return listOf(stored).filter(isObject);
}

function listOf<T>(stored: readonly T[] | undefined): readonly T[] {
  return Array.isArray(stored) ? (stored as readonly T[]) : [];
}

/** What the search for a cheque looks at. */
type SearchedWallet = Pick<ChequeWalletDocument, 'isDeleted' | 'cheques'>;

/** A cheque and the wallet that holds it. */
export interface FoundCheque<Wallet = ChequeWalletDocument> {
  readonly wallet: Wallet;
  readonly cheque: Cheque;
}

/** The source of what a callback reports. */
const source = 'External API';

/**
 * Where a report belongs: the cheque in its wallet, `'skip'` when the reservation has no wallet that
 * matches, `'missing'` when its active wallet does not hold the cheque (rule CALL-6).
 *
 * @param wallets of the reservation: the active one first, then the one deleted last
 */
export function findCheque<Wallet extends SearchedWallet>(
  wallets: readonly Wallet[],
  installmentId: string,
): FoundCheque<Wallet> | 'skip' | 'missing' {
  for (const wallet of wallets) {
    const cheque = chequesOf(wallet).find((one) => one.installmentId === installmentId);
    if (cheque !== undefined) return { wallet, cheque };
  }
  return wallets.some(({ isDeleted }) => !isDeleted) ? 'missing' : 'skip';
}

/**
 * The cheques of a wallet with those of a request: new ones are added as pending, existing ones get
 * the fields of the request and keep their state and history (rule RES-5). Everything else that
 * another program has put into the list stays.
 */
export function mergedCheques(
  stored: ChequeWalletDocument['cheques'],
  requests: readonly ChequeRequestDto[],
): Cheque[] {
  const requested = new Map(requests.map((request) => [request.installmentId, fieldsOf(request)]));
  const cheques = new Set(objectsOf(stored));
  const existing = new Set([...cheques].map(({ installmentId }) => installmentId));
  const added = [...requested].filter(([installmentId]) => !existing.has(installmentId));
  return [
    ...listOf(stored).map((cheque) => {
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

/** A cheque after a report: its fields, and one more entry in its history (rule CALL-8). */
export function reportedCheque(cheque: Cheque, report: ChequeReport, changedAt: Date): Cheque {
  const fields = { status: report.chequeStatus, ...fieldsOf(report) };
  const entry: ChequeHistoryEntry = { ...fields, changedAt, source };
  return { ...cheque, ...fields, statusHistory: [...listOf(cheque.statusHistory), entry] };
}

function fieldsOf({ chequeNumber, chequeAmount, dueDate }: ChequeDetails) {
  return {
    ...(chequeNumber === undefined ? {} : { chequeNumber }),
    ...(chequeAmount === undefined ? {} : { chequeAmount }),
    ...(dueDate === undefined ? {} : { dueDate }),
  };
}
