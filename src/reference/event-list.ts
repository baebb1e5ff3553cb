import { ClientDto } from '../tenants/clients/client.presenter.js';
import type { DocumentedEvent } from './webhook-documentation.js';
import { LeadDto, LeadErasureDto } from '../leads/dto/lead.dto.js';
import { ChequeWalletDto, ReservationDto } from '../reservations/reading/reservation.dto.js';
import { UnitDto } from '../units/unit.dto.js';
import type { EventType, pingType } from '../events/outbox/event-types.js';

export const eventList: Readonly<Record<EventType | typeof pingType, DocumentedEvent>> = {
  'client.created': { when: 'A lead made a client', data: ClientDto },
  'client.updated': {
    when: 'A lead changed a client',
    data: ClientDto,
    changes: [{ field: 'name', from: 'Mona', to: 'Mona Adel' }],
  },
  'lead.created': { when: 'A lead was posted for the first time', data: LeadDto },
  'lead.updated': {
    when: 'A lead was changed',
    data: LeadDto,
    changes: [{ field: 'data.project', from: null, to: 'Palm Meadows' }],
  },
  'lead.deleted': { when: 'A lead was deleted', data: LeadDto },
  'lead.erased': {
    when: 'A person wished to be forgotten: remove what you know of the lead and its client',
    data: LeadErasureDto,
  },
  'unit.created': { when: 'A unit was created', data: UnitDto },
  'unit.updated': {
    when: 'A unit was changed, but not by the reservation callback',
    data: UnitDto,
    changes: [{ field: 'price', from: 12_400_000, to: 12_500_000 }],
  },
  'unit.deleted': { when: 'A unit was retired', data: UnitDto },
  'reservation.created': { when: 'A reservation was created', data: ReservationDto },
  'reservation.updated': {
    when: 'A reservation was changed, also by the callback',
    data: ReservationDto,
    changes: [{ field: 'status', from: 'pending_cheque_collection', to: 'approved' }],
  },
  'wallet.created': { when: 'A reservation got its cheque wallet', data: ChequeWalletDto },
  'wallet.updated': {
    when: 'Cheques of a wallet were added or changed',
    data: ChequeWalletDto,
    changes: [{ field: 'cheques.installment-3.status', from: 'pending', to: 'collected' }],
  },
  'wallet.deleted': {
    when: 'A cheque wallet was deleted with its reservation',
    data: ChequeWalletDto,
  },
  'wallet.restored': { when: 'A deleted cheque wallet is active again', data: ChequeWalletDto },
  'webhook.ping': { when: 'The operator tests the endpoint' },
};
