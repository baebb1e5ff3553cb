import { errorDefinitions } from '../core/errors/domain-error.js';
import type { LocalizedMessage } from '../core/localization/messages.service.js';

export const unitErrors = errorDefinitions('units', {
  notFound: {
    status: 404,
    code: 'unit.not_found',
    sample: { slug: 'palm-meadows-v-101' },
    cause: 'The organization has no unit with this slug',
    remedy: 'Take the slug from `GET /units`',
  },
  noneToDelete: {
    status: 404,
    code: 'unit.none_to_delete',
    cause: 'The request deletes a unit that does not exist or is already deleted',
    remedy: 'Ignore it after a repeated request; otherwise compare the ids',
  },
  idRequired: {
    status: 400,
    code: 'unit.id_required',
    isList: true,
    cause: 'Neither of the two ids was sent',
    remedy: 'Send `recordSystemId`, `unitId` or both',
  },
  compoundRequired: {
    status: 400,
    code: 'unit.compound_required',
    isList: true,
    cause: 'The unit does not exist yet, and a new one needs a compound',
    remedy: 'Send `compound`',
  },
  ambiguous: {
    status: 400,
    code: 'unit.ambiguous',
    sample: { unitId: 'A-101' },
    isList: true,
    cause: 'Several compounds have a unit with this `unitId`',
    remedy: 'Send `compound` too, or `recordSystemId`',
  },
  unitIdTaken: {
    status: 400,
    code: 'unit.unit_id_taken',
    sample: { unitId: 'A-101' },
    isList: true,
    cause: 'Another unit of the compound has the `unitId`',
    remedy: 'Send another `unitId`, or update that unit',
  },
  tooManyToSort: {
    status: 400,
    code: 'unit.too_many_to_sort',
    messageKey: 'units.tooManyToSort',
    sample: { most: 10_000 },
    isList: true,
    cause: 'More than 10,000 units match, and `sort` has several fields',
    remedy: 'Filter, or sort by one field',
  },
  unsortable: {
    status: 400,
    code: 'unit.unsortable',
    sample: { fields: 'price,bua' },
    isList: true,
    cause: 'Another program stored a unit with lists in two fields of `sort`',
    remedy: 'Sort by one field',
  },
  removalsUnsortable: {
    status: 400,
    code: 'unit.removals_unsortable',
    isList: true,
    cause:
      'A key with public visibility sent `sort` with `updatedSince` and `includeDeleted=1`; the ' +
      'order would reveal values of units that are not public',
    remedy: 'Leave out `sort` or `includeDeleted`, or sort by `updatedAt`',
  },
  unknownName: {
    status: 400,
    code: 'unit.unknown_name',
    sample: { property: 'propertyType', value: 'castle' },
    isList: true,
    cause: 'A compound, phase, type, design or amenity does not exist; one message for each',
    remedy: 'Send names and slugs that exist in the catalogue',
  },
});

export function unknownNameMessage(property: string, value: string): LocalizedMessage {
  return { key: unitErrors.unknownName.messageKey, values: { property, value } };
}
