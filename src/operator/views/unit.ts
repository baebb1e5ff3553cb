import type { UnitStatusChange } from '../../reservations/reading/reservation-lookup.service.js';
import type { FoundUnit } from '../../units/reading/unit-lookup.service.js';
import {
  createdAt,
  externalIdField,
  id,
  requestIdField,
  statusField,
  updatedAt,
} from './common.js';
import type { ViewField } from './field.js';

export const unitFields: readonly ViewField<FoundUnit>[] = [
  id,
  statusField,
  { title: 'unit.slug', kind: 'code', of: ({ slug }) => slug },
  { title: 'unit.unitId', kind: 'code', of: ({ unitId }) => unitId },
  externalIdField,
  {
    title: 'shared.compound',
    kind: 'name',
    of: ({ compound }) => compound,
    note: ({ compound, compoundId }) => (compound === null ? compoundId || null : null),
  },
  { title: 'unit.price', kind: 'number', of: ({ price }) => price || null },
  createdAt,
  updatedAt,
];

export const unitChangeFields: readonly ViewField<UnitStatusChange>[] = [
  { title: 'shared.when', kind: 'time', of: ({ at }) => at },
  { title: 'shared.status', kind: 'change', of: (change) => change },
  {
    title: 'unit.cause',
    kind: 'status',
    of: (change) => {
      if (change.by === 'callback') return 'unit.causeCallback';
      if (change.requestId === undefined) return 'shared.import';
      return change.reservationId === null ? 'unit.causeUnit' : 'unit.causeReservation';
    },
  },
  {
    title: 'shared.reservation',
    kind: 'code',
    of: ({ reservationId }) => reservationId,
    record: 'reservation',
  },
  requestIdField,
];
