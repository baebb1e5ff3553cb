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
  field('code', 'Slug', 'slug'),
  field('code', 'Unit ID', 'unitId'),
  externalIdField,
  field('name', 'Compound', ({ compound }) => compound, {
    note: ({ compound, compoundId }) => (compound === null ? compoundId || null : null),
  }),
  field('number', 'Price', ({ price }) => price || null),
  createdAtField,
  updatedAtField,
];

export const unitChangeFields: readonly ViewField<UnitStatusChange>[] = [
  field('time', 'Time', 'at'),
  field('text', 'Status', ({ from, to }) => `${from ?? '–'} → ${to}`),
  field('status', 'Cause', ({ isByCallback, requestId, reservationId }) => {
    if (isByCallback) return 'callback of reservation';
    if (requestId === undefined) return 'import';
    return reservationId === null ? 'request about the unit' : 'request about a reservation';
  }),
  field('code', 'Reservation', 'reservationId', { record: 'reservation' }),
  requestIdField,
];
