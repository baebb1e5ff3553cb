import { Injectable } from '@nestjs/common';
import type { CallbackOutcome } from './callback-record.schema.js';
import { type ChequeReport, findCheque } from '../cheques/cheques.js';
import { ReservationEffects } from './reservation-effects.js';
import type { ReservationDocument } from '../records/reservation.schema.js';
import type { ReservationStatus } from '../states.js';
import { decideCheque, decideReservation, type Refusal } from '../transitions.js';
import { Wallets } from '../cheques/wallets.js';

/** What a callback asks for. */
export interface CallbackRequest {
  readonly reservationStatus?: ReservationStatus | undefined;
  readonly cheque?: ChequeReport | undefined;
}

/** Why a callback ends with an error, everything that was stored before it staying stored. */
export type CallbackRefusal = Refusal | 'reservationNotFound' | 'chequeNotFound' | 'walletFull';

/** What the steps of a callback did. */
export interface CallbackProgress {
  readonly reservation: CallbackOutcome['reservation'];
  readonly cheque: CallbackOutcome['cheque'];
  readonly refusal?: CallbackRefusal;
}

/** The steps of a callback, inside its transaction (section 3, "Reservation callback" 4). */
@Injectable()
export class CallbackSteps {
  constructor(
    private readonly effects: ReservationEffects,
    private readonly wallets: Wallets,
  ) {}

  /** The reservation step first, the cheque after it; a refusal ends the callback (rule 1). */
  async run(stored: ReservationDocument, request: CallbackRequest): Promise<CallbackProgress> {
    const { reservation, ...step } = await this.changeReservation(
      stored,
      request.reservationStatus,
    );
    const progress = { reservation: step.header, cheque: 'none' } as const;
    if (step.refusal !== undefined) return { ...progress, refusal: step.refusal };
    if (request.cheque === undefined) return progress;
    return { ...progress, ...(await this.reportCheque(reservation, request.cheque)) };
  }

  private async changeReservation(
    reservation: ReservationDocument,
    sent: ReservationStatus | undefined,
  ): Promise<{
    reservation: ReservationDocument;
    header: CallbackOutcome['reservation'];
    refusal?: Refusal;
  }> {
    const unchanged = { reservation, header: 'unchanged' } as const;
    if (sent === undefined) return unchanged;
    const decision = decideReservation(await this.effects.factsOf(reservation), sent);
    switch (decision.kind) {
      case 'apply': {
        const applied = await this.effects.apply(decision.effects, reservation);
        const header = applied.hasStored ? 'applied' : 'unchanged';
        return { reservation: applied.reservation, header };
      }
      case 'refuse':
        return { ...unchanged, refusal: decision.refusal };
      case 'ignore':
        return { reservation, header: 'ignored' };
      case 'keep':
        return unchanged;
      default:
        return decision satisfies never;
    }
  }

  /** Stores the cheque's facts before it looks at what they entail (rule 4). */
  private async reportCheque(
    reservation: ReservationDocument,
    report: ChequeReport,
  ): Promise<Pick<CallbackProgress, 'cheque' | 'refusal'>> {
    const { organizationId, _id } = reservation;
    const wallets = await this.wallets.ofReservation(organizationId, _id);
    const found = findCheque(wallets, report.installmentId);
    if (found === 'skip') return { cheque: 'skipped' };
    if (found === 'missing') return { cheque: 'none', refusal: 'chequeNotFound' };
    const wallet = await this.wallets.report(found, report);
    if (wallet === null) return { cheque: 'none', refusal: 'walletFull' };
    const decision = decideCheque(
      {
        ...(await this.effects.factsOf(reservation)),
        previousStatus: found.cheque.status,
        isUnitReservedByAnother: await this.effects.isUnitReservedByAnother(reservation),
      },
      report.status,
    );
    if (decision.kind === 'refuse') return { cheque: 'applied', refusal: decision.refusal };
    if (decision.kind === 'apply') await this.effects.apply(decision.effects, reservation, wallet);
    return { cheque: 'applied' };
  }
}
