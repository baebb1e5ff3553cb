import { Types } from 'mongoose';
import { isObjectId } from '../../../core/values/text.js';
import { parseCountry, toOrganization } from '../../../tenants/organizations/organization.js';
import type { OrganizationDocument } from '../../../tenants/organizations/organization.schema.js';
import { OrganizationsRepository } from '../../../tenants/organizations/organizations.repository.js';
import type { CommandActions, OptionsOf } from '../command-line/command.js';
import { sandboxMarkerOf } from '../../sandbox/sandbox-marker.js';
import { SandboxesService } from '../../sandbox/sandboxes.service.js';
import { field } from '../../views/view-field.js';
import { item, list, showSecrets } from '../command-line/result.js';
import type { organizationCommands } from './organization-commands.js';

type Changes = Omit<OptionsOf<typeof organizationCommands.update>, 'json'>;

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

export const actions: CommandActions<typeof organizationCommands> = {
  create: async (context, { name, json: _json, ...settings }) => {
    const subject = { _id: new Types.ObjectId() };
    const fields = { ...subject, name, ...nest(storedFields(settings)) };
    const created = await context.audit('organization.create', subject, () =>
      context.get(OrganizationsRepository).create(fields),
    );
    return item(organizationView(created));
  },

  list: async (context) => {
    const documents = await context.get(OrganizationsRepository).list();
    return list(documents.map(organizationView), [
      '_id',
      field('text', 'Name', 'name'),
      'apiDomain',
      'createdAt',
    ]);
  },

  show: async (context, id) => item(organizationView(await context.organization(id))),

  update: async (context, id, { json: _json, ...changes }) => {
    const { _id } = await context.organization(id);
    const fields = storedFields(changes);
    const update = () => context.get(OrganizationsRepository).update(_id, fields);
    await context.audit('organization.update', { _id }, update, Object.keys(fields).join(' '));
    return item(organizationView(await context.organization(_id.toHexString())));
  },

  sandbox: async (context, { name, url }) => {
    const subject = { _id: new Types.ObjectId() };
    const create = () => context.get(SandboxesService).create({ ...subject, name, url });
    const created = await context.audit('sandbox.create', subject, create);
    const { keys, signedCollector, reservations } = created;
    return showSecrets({
      _id: subject._id.toHexString(),
      name,
      keys: Object.fromEntries(keys),
      signedCollector,
      reservations,
    });
  },

  reset: async (context, { org }) => {
    const { _id, name } = await context.organization(org);
    // A reset cannot be undone, so a name that is nearly right is not enough.
    if (!isObjectId(org) && org !== name) {
      throw new Error(`The organization is called ${name}. Specify its id or exactly this name.`);
    }
    const reset = () => context.get(SandboxesService).reset({ _id, name });
    const { reservations } = await context.audit('sandbox.reset', { _id }, reset);
    return item({ _id: _id.toHexString(), name, reservations });
  },
};

function storedFields({ phoneCountry, ...others }: Changes): Record<string, unknown> {
  const country = phoneCountry === undefined ? undefined : parseCountry(phoneCountry);
  const entries = Object.entries({ ...others, phoneCountry: country });
  return Object.fromEntries(
    entries
      .filter(([, value]) => value !== undefined)
      .map(([option, value]) => [storedPaths[option as keyof Changes], value]),
  );
}

function nest(fields: Record<string, unknown>): object {
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
  const sandbox = sandboxMarkerOf(document);
  const { allowConflictLeads, phoneCountry, unknownPhoneCountry, clients } = organization;
  return {
    _id: document._id.toHexString(),
    name: document.name,
    apiDomain: document.apiDomain ?? null,
    logo: document.logo ?? null,
    settings: { allowConflictLeads, phoneCountry, clients },
    ...(unknownPhoneCountry === null ? {} : { unknownPhoneCountry }),
    ...(sandbox && { sandbox }),
    createdAt: document.createdAt,
    updatedAt: document.updatedAt,
  };
}
