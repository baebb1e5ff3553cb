import type { Cheque, ChequeHistoryEntry, ChequeWalletDocument } from './cheque-wallet.schema.js';
import type { ChequeRequest } from './reservation-request.js';
import type { ChequeStatus } from './states.js';

/** What a partner reports about a cheque. */
export interface ChequeReport {
  readonly installmentId: string;
  readonly status: ChequeStatus;
  readonly chequeNumber?: string | undefined;
  readonly chequeAmount?: number | undefined;
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
    const cheque = wallet.cheques?.find((candidate) => candidate.installmentId === installmentId);
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
  const known = new Set(cheques.map(({ installmentId }) => installmentId));
  const added = requests.filter(({ installmentId }) => !known.has(installmentId));
  return [
    ...cheques.map((cheque) => ({ ...cheque, ...sent.get(cheque.installmentId) })),
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
    ...(dueDate === undefined ? {} : { dueDate: new Date(dueDate) }),
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
  return { ...cheque, ...facts, statusHistory: [...(cheque.statusHistory ?? []), entry] };
}
