import type { Cheque, ChequeHistoryEntry, ChequeWalletDocument } from './cheque-wallet.schema.js';
import type { ChequeStatus } from './states.js';

/** What a partner reports about a cheque. */
export interface ChequeReport {
  readonly installmentId: string;
  readonly status: ChequeStatus;
  readonly chequeNumber?: string | undefined;
  readonly chequeAmount?: number | undefined;
}

/** Who is noted as the source of what a callback reports. */
const source = 'External API';

/**
 * Where a report belongs: the wallet and place of its cheque, `'skip'` when the reservation has no
 * wallet that matches, `'missing'` when its active wallet does not hold the cheque ("Reservation
 * callback" 3).
 *
 * @param wallets of the reservation: the active one first, then the one deleted last
 */
export function findCheque(
  wallets: readonly ChequeWalletDocument[],
  installmentId: string,
): { wallet: ChequeWalletDocument; index: number } | 'skip' | 'missing' {
  for (const wallet of wallets) {
    const index = (wallet.cheques ?? []).findIndex(
      (cheque) => cheque.installmentId === installmentId,
    );
    if (index !== -1) return { wallet, index };
  }
  return wallets.some(({ isDeleted }) => !isDeleted) ? 'missing' : 'skip';
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
