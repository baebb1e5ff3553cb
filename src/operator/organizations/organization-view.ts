import type { INestApplicationContext } from '@nestjs/common';
import type { Types } from 'mongoose';
import { type Organization, toOrganization } from '../../organizations/organization.js';
import type { OrganizationDocument } from '../../organizations/organization.schema.js';
import { OrganizationsService } from '../../organizations/organizations.service.js';
import type { Columns } from '../command-line/output.js';

/** An organization as the operator sees it, with every setting decided. */
export interface OrganizationView {
  readonly _id: string;
  readonly name: string;
  readonly apiDomain: string | null;
  readonly logo: string | null;
  readonly settings: Pick<Organization, 'allowConflictLeads' | 'phoneCountry' | 'clients'>;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** The columns of `org list`. */
export const listColumns: Columns<OrganizationView> = {
  Id: ({ _id }) => _id,
  Name: ({ name }) => name,
  'API domain': ({ apiDomain }) => apiDomain,
  'Phone country': ({ settings }) => settings.phoneCountry,
  Created: ({ createdAt }) => createdAt,
};

/** The lines of `org show`. */
export const recordColumns: Columns<OrganizationView> = {
  Id: ({ _id }) => _id,
  Name: ({ name }) => name,
  'API domain': ({ apiDomain }) => apiDomain,
  Logo: ({ logo }) => logo,
  'Phone country': ({ settings }) => settings.phoneCountry,
  'Allow conflict leads': ({ settings }) => settings.allowConflictLeads,
  'Create clients from leads': ({ settings }) => settings.clients.createFromLeads,
  'Update existing clients': ({ settings }) => settings.clients.updateExisting,
  'Match clients by': ({ settings }) => settings.clients.matchBy,
  Created: ({ createdAt }) => createdAt,
  Updated: ({ updatedAt }) => updatedAt,
};

/** Shows a stored organization. */
export function organizationView(document: OrganizationDocument): OrganizationView {
  const { allowConflictLeads, phoneCountry, clients } = toOrganization(document);
  return {
    _id: document._id.toHexString(),
    name: document.name,
    apiDomain: document.apiDomain ?? null,
    logo: document.logo ?? null,
    settings: { allowConflictLeads, phoneCountry, clients },
    createdAt: document.createdAt,
    updatedAt: document.updatedAt,
  };
}

/**
 * Gives the stored organization of an id.
 *
 * @throws Error when there is none or it is deleted
 */
export async function organizationOf(
  application: INestApplicationContext,
  id: Types.ObjectId,
): Promise<OrganizationDocument> {
  const document = await application.get(OrganizationsService).findDocument(id);
  if (document === null) throw new Error(`There is no organization with id ${id.toHexString()}.`);
  return document;
}
