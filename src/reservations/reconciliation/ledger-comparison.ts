import { present } from '../../core/fields/declared-fields.js';
import { Cheque, type ChequeWalletDocument } from '../cheques/cheque-wallet.schema.js';
import { chequesOf, findCheque } from '../cheques/cheques.js';
import type { DifferenceDto, LedgerEntryDto, UnmentionedChequeDto } from './reconciliation.dto.js';

export interface IndexedEntry {
  readonly index: number;
  readonly entry: LedgerEntryDto;
}

/** Compares an entry with the cheque that a callback would find; `wallets` is undefined without a reservation. */
export function compareEntry(
  { index, entry }: IndexedEntry,
  wallets: readonly ChequeWalletDocument[] | undefined,
): DifferenceDto[] {
  const { reservationId, installmentId, chequeStatus, chequeNumber, chequeAmount } = entry;
  const ids = { index, reservationId, installmentId };
  const found = wallets && findCheque(wallets, installmentId);
  if (found === undefined || typeof found === 'string') {
    const kind = found === undefined ? 'reservation_missing' : 'cheque_missing';
    return [{ ...ids, kind, ours: null, theirs: chequeStatus }];
  }
  const ours = present(Cheque, found.cheque);
  const compared = [
    { kind: 'status', ours: ours.status, theirs: chequeStatus },
    { kind: 'number', ours: ours.chequeNumber ?? null, theirs: chequeNumber },
    { kind: 'amount', ours: ours.chequeAmount ?? null, theirs: chequeAmount },
  ] as const;
  return compared.flatMap(({ theirs, ...difference }) =>
    theirs === undefined || theirs === difference.ours ? [] : { ...ids, ...difference, theirs },
  );
}

export function unmentionedCheques(
  reservationId: string,
  [wallet]: readonly ChequeWalletDocument[],
  mentioned: ReadonlySet<string> = new Set(),
): UnmentionedChequeDto[] {
  const cheques =
    wallet === undefined ? [] : chequesOf(wallet).map((cheque) => present(Cheque, cheque));
  return cheques
    .filter(({ installmentId }) => !mentioned.has(installmentId))
    .map(({ installmentId, status }) => ({ reservationId, installmentId, status }));
}
