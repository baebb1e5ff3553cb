import type { Cheque, ChequeHistoryEntry, ChequeWalletDocument } from './cheque-wallet.schema.js';
import type { ChequeRequest } from '../records/reservation-request.js';
import type { ChequeStatus } from '../states.js';

/** What a partner reports about a cheque. */
export interface ChequeReport {
  readonly installmentId: string;
  readonly status: ChequeStatus;
  readonly chequeNumber?: string | undefined;
  readonly chequeAmount?: number | undefined;
}

/** The cheques of a wallet; what another program has put among them and is none is left out. */
export function chequesOf({ cheques }: Pick<ChequeWalletDocument, 'cheques'>): Cheque[] {
  const stored: readonly unknown[] = Array.isArray(cheques) ? cheques : [];
  return stored.filter((item): item is Cheque => typeof item === 'object' && item !== null);
}

/** The reports about a cheque, oldest first, without what is none. */
export function historyOf({ statusHistory }: Pick<Cheque, 'statusHistory'>): ChequeHistoryEntry[] {
  const stored: readonly unknown[] = Array.isArray(statusHistory) ? statusHistory : [];
  return stored.filter(
    (item): item is ChequeHistoryEntry => typeof item === 'object' && item !== null,
  );
}

/** A cheque and the wallet that holds it. */
export interface FoundCheque {
  readonly wallet: ChequeWalletDocument;
  readonly cheque: Cheque;
}

/** Who is noted as the source of what a callback reports. */
const source = 'External API';

/**
 * Where a report belongs: the cheque in its wallet, `'skip'` when the reservation has no
 * wallet that matches, `'missing'` when its active wallet does not hold the cheque ("Reservation
 * callback" 3).
 *
 * @param wallets of the reservation: the active one first, then the one deleted last
 */
export function findCheque(
  wallets: readonly ChequeWalletDocument[],
  installmentId: string,
): FoundCheque | 'skip' | 'missing' {
  for (const wallet of wallets) {
    const cheque = chequesOf(wallet).find((one) => one.installmentId === installmentId);
    if (cheque !== undefined) return { wallet, cheque };
  }
  return wallets.some(({ isDeleted }) => !isDeleted) ? 'missing' : 'skip';
}

/**
 * The cheques of a wallet with what an outside system says of them: new ones are added as pending,
 * known ones take over what is sent and keep their state and history.
 */
export function mergedCheques(
  cheques: readonly Cheque[],
  requests: readonly ChequeRequest[],
): Cheque[] {
  const sent = new Map(requests.map((request) => [request.installmentId, paperOf(request)]));
  const known = new Set(cheques.map((cheque) => cheque.installmentId));
  const added = requests.filter(({ installmentId }) => !known.has(installmentId));
  return [
    ...cheques.map((cheque) => {
      const paper = sent.get(cheque.installmentId);
      return paper === undefined ? cheque : { ...cheque, ...paper };
    }),
    ...added.map(({ installmentId }) => ({
      installmentId,
      status: 'pending' as const,
      ...sent.get(installmentId),
      statusHistory: [],
    })),
  ];
}

function paperOf({ chequeNumber, chequeAmount, dueDate }: ChequeRequest) {
  return {
    ...(chequeNumber === undefined ? {} : { chequeNumber }),
    ...(chequeAmount === undefined ? {} : { chequeAmount }),
    ...(dueDate === undefined ? {} : { dueDate }),
  };
}

/** A cheque after a report: its facts, and one more entry in its history (section 3 rule 3). */
export function reportedCheque(cheque: Cheque, report: ChequeReport, changedAt: Date): Cheque {
  const { status, chequeNumber, chequeAmount } = report;
  const facts = {
    status,
    ...(chequeNumber === undefined ? {} : { chequeNumber }),
    ...(chequeAmount === undefined ? {} : { chequeAmount }),
  };
  const entry: ChequeHistoryEntry = { ...facts, changedAt, source };
  return { ...cheque, ...facts, statusHistory: [...historyOf(cheque), entry] };
}
