import { errorDefinitions } from '../core/errors/domain-error.js';

export const leadErrors = errorDefinitions('leads', {
  notFound: {
    status: 404,
    code: 'lead.not_found',
    cause: 'The organization has no lead with this external id, or it was deleted',
    remedy: 'Compare the id with the `recordSystemId` that created the lead',
  },
  duplicatePhone: {
    status: 400,
    code: 'lead.duplicate_phone',
    messageKey: 'leads.duplicatePhoneUnassigned',
    sample: { phone: '01001234567' },
    otherMessages: [
      {
        key: 'leads.duplicatePhoneAssigned',
        values: { phone: '+201112223334', user: 'Mona Adel' },
      },
      { key: 'leads.duplicatePhoneAssignedUnnamed', values: { phone: '+201112223335' } },
    ],
    isList: true,
    cause: 'Another lead of the organization has the phone; one message for each phone',
    remedy: 'Update that lead, or ask the organization to allow such leads',
  },
  unknownCompound: {
    status: 400,
    code: 'lead.unknown_compound',
    sample: { value: 'palm-medows' },
    isList: true,
    cause: 'The filter `compound` names a compound that does not exist; one message for each',
    remedy: 'Send slugs or ids of `GET /compounds`',
  },
  databaseReference: {
    status: 400,
    code: 'lead.database_reference',
    sample: { field: 'data' },
    isList: true,
    cause:
      'Merged with earlier requests, the object would have both keys `$ref` and `$id`, which ' +
      'the database interprets',
    remedy: 'Rename one of the two keys',
  },
  tooLarge: {
    status: 400,
    code: 'lead.too_large',
    sample: { limit: 4 },
    isList: true,
    cause: 'The lead would become too large; nothing was changed',
    remedy: 'Shorten values, or send `null` for keys that are no longer needed',
  },
  tooManyChanges: {
    status: 400,
    code: 'lead.too_many_changes',
    isList: true,
    cause: 'The changes of one request would be too large for its event',
    remedy: 'Send the fields in several requests',
  },
  batchFull: {
    status: 413,
    code: 'lead.batch_full',
    sample: { limit: 8 },
    isList: true,
    cause: 'The preceding leads of the batch are too large together; this lead was not processed',
    remedy: 'Send the lead in another batch',
  },
});
