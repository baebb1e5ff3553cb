import { ObjectId } from 'mongodb';
import { ClientWorkingSet } from '../../src/leads/clients/client-link.js';
import type { ClientDocument } from '../../src/leads/clients/client.schema.js';
import type { LeadDocument } from '../../src/leads/lead.schema.js';
import type { LoadedLeads } from '../../src/leads/upsert/lead-working-set.js';
import type { Organization } from '../../src/tenants/organizations/organization.js';

const before = new Date('2026-01-05T08:00:00Z');
export const now = new Date('2026-02-01T12:00:00Z');

const organizationId = new ObjectId();
const stored = { organizationId, isDeleted: false, createdAt: before, updatedAt: before };

const allFields = { has: () => true } as unknown as ReadonlySet<string>;

export function organizationWith(fields: Partial<Organization> = {}): Organization {
  return {
    _id: organizationId,
    name: 'Nile Homes',
    apiDomain: undefined,
    allowConflictLeads: false,
    phoneCountry: 'EG',
    unknownPhoneCountry: null,
    clients: { createFromLeads: true, updateExisting: true, matchBy: ['phone', 'email'] },
    ...fields,
  };
}

export function leadWith(fields: Partial<LeadDocument> = {}): LeadDocument {
  return { ...stored, _id: new ObjectId(), leadId: 1, ...fields };
}

export function clientWith(fields: Partial<ClientDocument> = {}): ClientDocument {
  return { ...stored, _id: new ObjectId(), ...fields };
}

/** Returns the records that a complete search has loaded when it found only the given ones. */
export function loadedWith({
  storedClients = [],
  ...fields
}: Partial<LoadedLeads> & {
  storedClients?: readonly ClientDocument[];
} = {}): LoadedLeads {
  return {
    organization: organizationWith(),
    leads: [],
    now,
    phoneOwners: [],
    userNames: new Map(),
    compoundsNamed: () => [],
    clients: new ClientWorkingSet(storedClients, allFields, 'EG'),
    numbers: [],
    ...fields,
  };
}
