import type { LeadDto } from '../../leads/dto/lead.dto.js';
import type { FoundClient } from '../../leads/clients/clients.service.js';
import type { LeadDetails } from '../../leads/reading/lead-lookup.service.js';
import { field, type ViewField } from './view-field.js';
import { createdAtField, externalIdField, idField, updatedAtField } from './common.js';

/** The console adds names. */
type Lead = LeadDto & Partial<Pick<LeadDetails, 'isErased' | 'compounds' | 'assignedTo'>>;

const state: ViewField<Lead> = field(
  'status',
  'State',
  ({ isDeleted, isActive }) => {
    if (isDeleted) return 'deleted';
    return isActive ? 'active' : 'inactive';
  },
  { note: ({ isErased = false }) => (isErased ? 'erased' : null) },
);

export const leadFields: readonly ViewField<Lead>[] = [
  idField,
  field('code', 'Number', 'leadId'),
  externalIdField,
  state,
  field('code', 'Client', 'clientId'),
  field('text', 'Assigned to', ({ assignedTo, assignedToId }) => assignedTo ?? assignedToId),
  field(
    'name',
    'Compounds',
    ({ compounds, compoundsIds }) =>
      compounds ?? compoundsIds.map((compound) => ({ 'en-us': compound })),
  ),
  field('personal', 'Data', 'data'),
  field('personal', 'Additional data', 'additionalData'),
  createdAtField,
  updatedAtField,
];

export const clientFields: readonly ViewField<FoundClient>[] = [
  idField,
  field('status', 'State', ({ isDeleted }) => (isDeleted ? 'deleted' : 'active'), {
    note: ({ isErased }) => (isErased ? 'erased' : null),
  }),
  field('personal', 'Name', 'name'),
  field('personal', 'Email', 'email'),
  field('personal', 'Phones', 'phoneNumbers'),
  createdAtField,
  updatedAtField,
];
