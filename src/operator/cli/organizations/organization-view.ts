import type { INestApplicationContext } from '@nestjs/common';
import type { OrganizationDocument } from '../../../tenants/organizations/organization.schema.js';
import type { OrganizationsRepository } from '../../../tenants/organizations/organizations.repository.js';
import type { Columns } from '../command-line/output.js';

type OrganizationView = Awaited<ReturnType<typeof organizationView>>;

export const organizationListColumns: Columns<OrganizationView> = {
  Id: ({ _id }) => _id,
  Name: ({ name }) => name,
  'API domain': ({ apiDomain }) => apiDomain,
  'Phone country': shownCountry,
  Created: ({ createdAt }) => createdAt,
};

/** The lines of `org show`. */
export const organizationColumns: Columns<OrganizationView> = {
  Id: ({ _id }) => _id,
  Name: ({ name }) => name,
  'API domain': ({ apiDomain }) => apiDomain,
  Logo: ({ logo }) => logo,
  'Phone country': shownCountry,
  'Allow conflict leads': ({ settings }) => settings.allowConflictLeads,
  'Create clients from leads': ({ settings }) => settings.clients.createFromLeads,
  'Update existing clients': ({ settings }) => settings.clients.updateExisting,
  'Match clients by': ({ settings }) => settings.clients.matchBy,
  Created: ({ createdAt }) => createdAt,
  Updated: ({ updatedAt }) => updatedAt,
};

/** An organization for printing, with defaults for the settings that it does not have. */
export async function organizationView(document: OrganizationDocument) {
  const { toOrganization } = await import('../../../tenants/organizations/organization.js');
  const organization = toOrganization(document);
  const { allowConflictLeads, phoneCountry, unknownPhoneCountry, clients } = organization;
  return {
    _id: document._id.toHexString(),
    name: document.name,
    apiDomain: document.apiDomain ?? null,
    logo: document.logo ?? null,
    settings: { allowConflictLeads, phoneCountry, clients },
    ...(unknownPhoneCountry === null ? {} : { unknownPhoneCountry }),
    createdAt: document.createdAt,
    updatedAt: document.updatedAt,
  };
}

function shownCountry({ settings, unknownPhoneCountry }: OrganizationView): string {
  const { phoneCountry } = settings;
  if (unknownPhoneCountry === undefined) return phoneCountry;
  return `${phoneCountry} (stored: ${unknownPhoneCountry}, which is no country)`;
}

/**
 * The organization with an id, or the only one with a name, in whatever case.
 *
 * @throws Error when there is none, or several, or it is deleted
 */
export async function organizationOf(
  application: INestApplicationContext,
  idOrName: string,
): Promise<OrganizationDocument> {
  const { foldCase } = await import('../../../core/localization/fold-case.js');
  const { parseObjectId } = await import('../../../core/database/documents/object-id.js');
  const organizations = await organizationsOf(application);
  const _id = parseObjectId(idOrName);
  const isMeant = ({ name }: OrganizationDocument) => foldCase(name ?? '') === foldCase(idOrName);
  const [document, ...others] = _id
    ? [await organizations.findDocument(_id)]
    : (await organizations.list()).filter(isMeant);
  if (!document) {
    const kind = _id ? 'with id' : 'called';
    throw new Error(`There is no organization ${kind} ${idOrName}: \`org list\` lists them.`);
  }
  if (others.length === 0) return document;
  const ids = [document, ...others].map((one) => one?._id.toHexString()).join(', ');
  throw new Error(`Several organizations are called ${idOrName}, give the id of one: ${ids}.`);
}

export async function organizationsOf(
  application: INestApplicationContext,
): Promise<OrganizationsRepository> {
  const { OrganizationsRepository } =
    await import('../../../tenants/organizations/organizations.repository.js');
  return application.get(OrganizationsRepository);
}
