import type { UnitStatusChange } from '../../reservations/reading/reservation-history.service.js';
import type { FoundUnit } from '../../units/reading/unit-lookup.service.js';
import { createdAt, externalId, id, requestId, updatedAt } from './common.js';
import { type Field, recordPath } from './field.js';

const status: Field<FoundUnit> = {
  title: 'shared.status',
  kind: 'text',
  of: (unit) => unit.status,
  note: ({ isDeleted }) => (isDeleted ? 'shared.deleted' : null),
};
const unitId: Field<FoundUnit> = {
  title: 'unit.unitId',
  kind: 'code',
  of: (unit) => unit.unitId,
};

/** A unit in a list. */
export const unitListFields: readonly Field<FoundUnit>[] = [
  {
    title: 'shared.unit',
    kind: 'text',
    of: ({ slug, _id }) => slug ?? _id,
    to: ({ _id }, organizationId) => recordPath('units', organizationId, _id),
  },
  unitId,
  externalId,
  status,
];

export const unitFields: readonly Field<FoundUnit>[] = [
  id,
  status,
  { title: 'unit.slug', kind: 'code', of: ({ slug }) => slug },
  unitId,
  externalId,
  { title: 'shared.compound', kind: 'code', of: ({ compoundId }) => compoundId },
  { title: 'unit.price', kind: 'number', of: ({ price }) => price },
  createdAt,
  updatedAt,
];

export const unitChangeFields: readonly Field<UnitStatusChange>[] = [
  { title: 'shared.when', kind: 'time', of: ({ at }) => at },
  { title: 'shared.status', kind: 'change', of: (change) => change },
  {
    title: 'unit.cause',
    kind: 'status',
    of: (change) => {
      if (change.reservationId !== null) return 'unit.causeCallback';
      return change.requestId === undefined ? 'unit.causeImport' : 'unit.causeRequest';
    },
  },
  {
    title: 'shared.reservation',
    kind: 'code',
    of: ({ reservationId }) => reservationId,
    record: 'reservations',
  },
  requestId,
];
