import type { LeadDto } from '../../leads/dto/lead.dto.js';
import type { FoundClient } from '../../tenants/clients/clients.service.js';
import type { InspectedLead } from '../../leads/lead-lookup.service.js';
import type { ViewField } from './field.js';
import { createdAt, externalIdField, id, updatedAt } from './common.js';

/** Only the console knows the names. */
type Lead = LeadDto & Partial<Pick<InspectedLead, 'isErased' | 'compounds' | 'assignedTo'>>;

const state: ViewField<Lead> = {
  title: 'shared.state',
  kind: 'status',
  of: ({ isDeleted, isActive }) => {
    if (isDeleted) return 'shared.deleted';
    return isActive ? 'shared.active' : 'shared.inactive';
  },
  note: ({ isErased = false }) => (isErased ? 'shared.erased' : null),
};

export const leadFields: readonly ViewField<Lead>[] = [
  id,
  { title: 'shared.number', kind: 'code', of: ({ leadId }) => leadId },
  externalIdField,
  state,
  { title: 'lead.client', kind: 'code', of: ({ clientId }) => clientId },
  {
    title: 'lead.assignedTo',
    kind: 'text',
    of: ({ assignedTo, assignedToId }) => assignedTo ?? assignedToId,
  },
  {
    title: 'lead.compounds',
    kind: 'name',
    of: ({ compounds, compoundsIds }) =>
      compounds ?? compoundsIds.map((compound) => ({ 'en-us': compound })),
  },
  { title: 'lead.data', kind: 'personal', of: ({ data }) => data },
  { title: 'lead.additionalData', kind: 'personal', of: ({ additionalData }) => additionalData },
  createdAt,
  updatedAt,
];

export const clientFields: readonly ViewField<FoundClient>[] = [
  id,
  {
    title: 'shared.state',
    kind: 'status',
    of: ({ isDeleted }) => (isDeleted ? 'shared.deleted' : 'shared.active'),
    note: ({ isErased }) => (isErased ? 'shared.erased' : null),
  },
  { title: 'lead.name', kind: 'personal', of: ({ name }) => name },
  { title: 'lead.email', kind: 'personal', of: ({ email }) => email },
  { title: 'lead.phones', kind: 'personal', of: ({ phoneNumbers }) => phoneNumbers },
  createdAt,
  updatedAt,
];
