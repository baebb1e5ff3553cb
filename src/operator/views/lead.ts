import type { LeadDto } from '../../leads/dto/lead.dto.js';
import type { FoundClient } from '../../leads/clients/clients.service.js';
import type { LeadDetails } from '../../leads/reading/lead-lookup.service.js';
import { field, type ViewField } from './view-field.js';
import { createdAtField, externalIdField, idField, updatedAtField } from './common.js';

/** The console adds names. */
type Lead = LeadDto & Partial<Pick<LeadDetails, 'isErased' | 'compounds' | 'assignedTo'>>;

const state: ViewField<Lead> = field(
  'status',
  'shared.state',
  ({ isDeleted, isActive }) => {
    if (isDeleted) return 'shared.deleted';
    return isActive ? 'shared.active' : 'shared.inactive';
  },
  { note: ({ isErased = false }) => (isErased ? 'shared.erased' : null) },
);

export const leadFields: readonly ViewField<Lead>[] = [
  idField,
  field('code', 'shared.number', 'leadId'),
  externalIdField,
  state,
  field('code', 'lead.client', 'clientId'),
  field('text', 'lead.assignedTo', ({ assignedTo, assignedToId }) => assignedTo ?? assignedToId),
  field(
    'name',
    'lead.compounds',
    ({ compounds, compoundsIds }) =>
      compounds ?? compoundsIds.map((compound) => ({ 'en-us': compound })),
  ),
  field('personal', 'lead.data', 'data'),
  field('personal', 'lead.additionalData', 'additionalData'),
  createdAtField,
  updatedAtField,
];

export const clientFields: readonly ViewField<FoundClient>[] = [
  idField,
  field(
    'status',
    'shared.state',
    ({ isDeleted }) => (isDeleted ? 'shared.deleted' : 'shared.active'),
    { note: ({ isErased }) => (isErased ? 'shared.erased' : null) },
  ),
  field('personal', 'lead.name', 'name'),
  field('personal', 'lead.email', 'email'),
  field('personal', 'lead.phones', 'phoneNumbers'),
  createdAtField,
  updatedAtField,
];
