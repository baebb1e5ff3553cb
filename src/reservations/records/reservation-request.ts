import type { UnitReference } from '../../units/reading/unit-lookup.service.js';
import type { ReservationStatus } from '../states.js';

/** What an outside system says of a cheque; the collection partner reports its state. */
export interface ChequeRequest {
  readonly installmentId: string;
  readonly chequeNumber?: string;
  readonly chequeAmount?: number;
  readonly dueDate?: Date;
}

/** What an outside system says of a reservation ("Units and reservation records" 5). */
export interface ReservationRequest {
  readonly recordSystemId?: string;
  readonly unit?: UnitReference;
  readonly lead?: { readonly recordSystemId: string };
  readonly status?: ReservationStatus;
  readonly partnerCollection?: boolean;
  readonly cheques?: readonly ChequeRequest[];
}
