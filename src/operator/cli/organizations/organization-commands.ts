import type { Command } from 'commander';
import type { ClientMatchField } from '../../../tenants/organizations/client-match-fields.js';
import type { OrganizationSettings } from '../../../tenants/organizations/organization.schema.js';
import { withApplication } from '../command-line/application.js';
import { addCommand, addPrintingCommand, exampleId } from '../command-line/command-texts.js';
import {
  country,
  countryMessage,
  domain,
  flag,
  matchFields,
  name,
  objectId,
  webAddress,
} from '../command-line/option-values.js';
import { logged } from '../command-line/logged.js';
import {
  organizationListColumns,
  organizationOf,
  organizationsOf,
  organizationView,
  organizationColumns,
} from './organization-view.js';
import { type OutputOptions, printList, printItem } from '../command-line/output.js';

interface OrganizationOptions extends OutputOptions {
  readonly name?: string;
  readonly apiDomain?: string;
  readonly logo?: string;
  readonly phoneCountry?: string;
  readonly allowConflictLeads?: boolean;
  readonly createClients?: boolean;
  readonly updateClients?: boolean;
  readonly matchClientsBy?: ClientMatchField[];
}

const storedPaths = {
  name: 'name',
  apiDomain: 'apiDomain',
  logo: 'logo',
  phoneCountry: 'settings.phoneCountry',
  allowConflictLeads: 'settings.allowConflictLeads',
  createClients: 'settings.clients.createFromLeads',
  updateClients: 'settings.clients.updateExisting',
  matchClientsBy: 'settings.clients.matchBy',
} as const satisfies Record<Exclude<keyof OrganizationOptions, 'json'>, string>;

export function addOrganizationCommands(program: Command): void {
  const group = addCommand(program, {
    name: 'org',
    description: 'create, list, show and change organizations',
    example: 'org list',
  });
  addCreate(group);
  addList(group);
  addShow(group);
  addUpdate(group);
}

function addCreate(group: Command): void {
  const command = addPrintingCommand(group, {
    name: 'create',
    description: 'add an organization; settings that are left out take their defaults',
    example: 'org create --name "Nile Homes" --api-domain api.nile-homes.example',
  }).requiredOption('--name <name>', 'name of the organization', name);
  addSettings(command).action((options: OrganizationOptions & { readonly name: string }) =>
    withApplication(async (application) => {
      const organizations = await organizationsOf(application);
      const created = await organizations.create({
        ...only(options, ['name', 'apiDomain', 'logo']),
        name: options.name,
        settings: settingsOf(options),
      });
      printItem(await organizationView(created), organizationColumns, options);
    }),
  );
}

function addList(group: Command): void {
  addPrintingCommand(group, {
    name: 'list',
    description: 'list the organizations, oldest first',
    example: 'org list',
  }).action((options: OutputOptions) =>
    withApplication(async (application) => {
      const documents = await (await organizationsOf(application)).list();
      const views = await Promise.all(documents.map(organizationView));
      printList(views, organizationListColumns, options);
    }),
  );
}

function addShow(group: Command): void {
  addPrintingCommand(group, {
    name: 'show',
    description: 'show an organization with all its settings',
    example: `org show ${exampleId}`,
  })
    .argument('<id>', 'id of the organization', objectId)
    .action((id: string, options: OutputOptions) =>
      withApplication(async (application) => {
        const document = await organizationOf(application, id);
        printItem(await organizationView(document), organizationColumns, options);
      }),
    );
}

function addUpdate(group: Command): void {
  const command = addPrintingCommand(group, {
    name: 'update',
    description: 'change the given fields of an organization',
    example: `org update ${exampleId} --allow-conflict-leads true`,
  })
    .argument('<id>', 'id of the organization', objectId)
    .option('--name <name>', 'name of the organization', name);
  addSettings(command).action((id: string, options: OrganizationOptions) => {
    const fields = storedFields(options);
    if (Object.keys(fields).length === 0)
      command.error('error: give at least one option to change');
    return withApplication(async (application) => {
      const { _id } = await organizationOf(application, id);
      const organizations = await organizationsOf(application);
      const changed = {
        action: 'update',
        subject: 'organization',
        to: { _id, organizationId: _id },
        details: Object.keys(fields).join(' '),
      } as const;
      await logged(application, changed, () => organizations.update(_id, fields));
      const document = await organizationOf(application, id);
      printItem(await organizationView(document), organizationColumns, options);
    });
  });
}

function addSettings(command: Command): Command {
  return command
    .option('--api-domain <domain>', 'host name under which its clients call the API', domain)
    .option('--logo <url>', 'address of its logo', webAddress)
    .option(
      '--phone-country <code>',
      'country whose national phone numbers are understood, ISO 3166 alpha-2 (default: EG)',
      country,
    )
    .option(
      '--allow-conflict-leads <true|false>',
      'whether two leads may have the same phone (default: false)',
      flag,
    )
    .option('--create-clients <true|false>', 'whether leads create clients (default: true)', flag)
    .option(
      '--update-clients <true|false>',
      'whether leads update the clients they match (default: true)',
      flag,
    )
    .option(
      '--match-clients-by <fields>',
      'what clients are matched by, in order (default: phone,email)',
      matchFields,
    )
    .hook('preAction', resolveCountry);
}

/** Checks the country before the action. @throws CommanderError as for a refused option */
async function resolveCountry(command: Command): Promise<void> {
  const { phoneCountry: given } = command.opts<OrganizationOptions>();
  if (given === undefined) return;
  const { countryOf } = await import('../../../tenants/organizations/organization.js');
  const phoneCountry = countryOf(given);
  if (phoneCountry === null) {
    command.error(
      `error: option '--phone-country <code>' argument '${given}' is invalid. ${countryMessage}`,
    );
  }
  command.setOptionValue('phoneCountry', phoneCountry);
}

function settingsOf(options: OrganizationOptions): OrganizationSettings {
  const { createClients, updateClients, matchClientsBy } = options;
  const clients = {
    ...(createClients === undefined ? {} : { createFromLeads: createClients }),
    ...(updateClients === undefined ? {} : { updateExisting: updateClients }),
    ...(matchClientsBy === undefined ? {} : { matchBy: matchClientsBy }),
  };
  return { ...only(options, ['phoneCountry', 'allowConflictLeads']), clients };
}

function storedFields(options: OrganizationOptions): Record<string, unknown> {
  const names = Object.keys(storedPaths) as (keyof typeof storedPaths)[];
  const given = names.filter((option) => options[option] !== undefined);
  return Object.fromEntries(given.map((option) => [storedPaths[option], options[option]]));
}

function only<T extends object, K extends keyof T>(from: T, keys: readonly K[]): Pick<T, K> {
  return Object.fromEntries(
    keys.filter((key) => from[key] !== undefined).map((key) => [key, from[key]]),
  ) as Pick<T, K>;
}
