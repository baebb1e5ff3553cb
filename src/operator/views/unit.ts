import type { UnitStatusChange } from '../../reservations/reading/reservation-lookup.service.js';
import type { FoundUnit } from '../../units/reading/unit-lookup.service.js';
import {
  createdAtField,
  externalIdField,
  idField,
  requestIdField,
  statusField,
  updatedAtField,
} from './common.js';
import { field, type ViewField } from './view-field.js';

export const unitFields: readonly ViewField<FoundUnit>[] = [
  idField,
  statusField,
  field('code', 'unit.slug', 'slug'),
  field('code', 'unit.unitId', 'unitId'),
  externalIdField,
  field('name', 'shared.compound', ({ compound }) => compound, {
    note: ({ compound, compoundId }) => (compound === null ? compoundId || null : null),
  }),
  field('number', 'unit.price', ({ price }) => price || null),
  createdAtField,
  updatedAtField,
];

export const unitChangeFields: readonly ViewField<UnitStatusChange>[] = [
  field('time', 'shared.when', 'at'),
  field('text', 'shared.status', ({ from, to }) => `${from ?? '–'} → ${to}`),
  field('status', 'unit.cause', ({ isByCallback, requestId, reservationId }) => {
    if (isByCallback) return 'unit.causeCallback';
    if (requestId === undefined) return 'shared.import';
    return reservationId === null ? 'unit.causeUnit' : 'unit.causeReservation';
  }),
  field('code', 'shared.reservation', 'reservationId', { record: 'reservation' }),
  requestIdField,
];
