import { Types } from 'mongoose';
import { countryOf, toOrganization } from '../../../tenants/organizations/organization.js';
import type { OrganizationDocument } from '../../../tenants/organizations/organization.schema.js';
import { OrganizationsRepository } from '../../../tenants/organizations/organizations.repository.js';
import type { ActionsOf, ValuesOf } from '../command-line/declaration.js';
import { type Columns, item, list } from '../command-line/result.js';
import type { organizationCommands } from './organization-commands.js';

type OrganizationView = ReturnType<typeof organizationView>;

const organizationListColumns: Columns<OrganizationView> = {
  Id: ({ _id }) => _id,
  Name: ({ name }) => name,
  'API domain': ({ apiDomain }) => apiDomain,
  Created: ({ createdAt }) => createdAt,
};

const organizationColumns: Columns<OrganizationView> = {
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

type Changes = Omit<ValuesOf<typeof organizationCommands.update>, 'id'>;

const storedPaths: Readonly<Record<keyof Changes, string>> = {
  name: 'name',
  apiDomain: 'apiDomain',
  logo: 'logo',
  phoneCountry: 'settings.phoneCountry',
  allowConflictLeads: 'settings.allowConflictLeads',
  createClients: 'settings.clients.createFromLeads',
  updateClients: 'settings.clients.updateExisting',
  matchClientsBy: 'settings.clients.matchBy',
};

export const actions: ActionsOf<typeof organizationCommands> = {
  create: async (context, { name, ...settings }) => {
    const to = { _id: new Types.ObjectId() };
    const fields = { ...to, name, ...nested(storedFields({ name: undefined, ...settings })) };
    const created = await context.logged({ action: 'create', subject: 'organization', to }, () =>
      context.get(OrganizationsRepository).create(fields),
    );
    return item(organizationView(created), organizationColumns);
  },

  list: async (context) => {
    const documents = await context.get(OrganizationsRepository).list();
    return list(documents.map(organizationView), organizationListColumns);
  },

  show: async (context, { id }) =>
    item(organizationView(await context.organization(id)), organizationColumns),

  update: async (context, { id, ...changes }) => {
    const { _id } = await context.organization(id);
    const fields = storedFields(changes);
    const details = Object.keys(fields).join(' ');
    const updating = { action: 'update', subject: 'organization', to: { _id }, details } as const;
    await context.logged(updating, () => context.get(OrganizationsRepository).update(_id, fields));
    return item(organizationView(await context.organization(id)), organizationColumns);
  },
};

function storedFields({ phoneCountry, ...others }: Changes): Record<string, unknown> {
  const country = phoneCountry === undefined ? undefined : countryOf(phoneCountry);
  const given = Object.entries({ ...others, phoneCountry: country });
  return Object.fromEntries(
    given
      .filter(([, value]) => value !== undefined)
      .map(([option, value]) => [storedPaths[option as keyof Changes], value]),
  );
}

function nested(fields: Record<string, unknown>): object {
  const root: Record<string, object> = {};
  for (const [path, value] of Object.entries(fields)) {
    const names = path.split('.');
    const last = names.pop() ?? path;
    let parent: Record<string, unknown> = root;
    for (const name of names) parent = (parent[name] ??= {}) as Record<string, unknown>;
    parent[last] = value;
  }
  return root;
}

function organizationView(document: OrganizationDocument) {
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
