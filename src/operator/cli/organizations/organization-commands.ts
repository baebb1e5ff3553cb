import {
  argument,
  type CommandGroup,
  defineCommand,
  exampleId,
  option,
  org,
  required,
  UsageError,
} from '../command-line/command-definition.js';
import * as parse from '../command-line/option-values.js';

const choice = (description: string) => option('<true|false>', description, parse.trueOrFalse);

const settings = {
  apiDomain: option('<domain>', 'host name at which its clients call the API', parse.domain),
  logo: option('<url>', 'URL of the logo', parse.url),
  phoneCountry: option(
    '<code>',
    'country of phone numbers without a country code, ISO 3166 alpha-2 (default: EG)',
    parse.country,
  ),
  allowConflictLeads: choice('whether two leads may have the same phone (default: false)'),
  createClients: choice('whether leads create clients (default: true)'),
  updateClients: choice('whether leads update the clients they match (default: true)'),
  matchClientsBy: option(
    '<fields>',
    'fields by which clients are matched, in order (default: phone,email)',
    parse.matchFields,
  ),
};
const id = argument('<id>', 'id or name of the organization', parse.name);

export const organizationCommands = {
  create: defineCommand({
    description: 'create an organization; omitted settings get their defaults',
    example: '--name "Nile Homes" --api-domain api.nile-homes.example',
    parameters: { name: required('<name>', 'name of the organization', parse.name), ...settings },
    check: ({ phoneCountry }) => assertCountry(phoneCountry),
  }),
  list: defineCommand({ description: 'list the organizations, oldest first' }),
  show: defineCommand({
    description: 'show an organization with all its settings',
    example: exampleId,
    parameters: { id },
  }),
  update: defineCommand({
    description: 'change settings of an organization',
    example: `${exampleId} --allow-conflict-leads true`,
    parameters: { id, name: option('<name>', 'name of the organization', parse.name), ...settings },
    check: ({ id: _id, ...changes }) => {
      if (Object.values(changes).every((value) => value === undefined)) {
        throw new UsageError('Specify at least one setting to change.');
      }
      return assertCountry(changes.phoneCountry);
    },
  }),
  sandbox: defineCommand({
    description:
      'create an organization with sample records and keys, for a partner who tries the API',
    example: '--name "Sandbox of Nile CRM" --url https://api.nile-homes.example',
    parameters: {
      name: required('<name>', 'name of the organization', parse.name),
      url: option(
        '<url>',
        'address at which the partner reaches the service (default: this host)',
        parse.url,
      ),
    },
  }),
  reset: defineCommand({
    description: 'delete all records of a sandbox and store the sample records again; keys stay',
    example: `--org ${exampleId}`,
    parameters: { org },
  }),
};

export const organizationGroup: CommandGroup = {
  name: 'org',
  description: 'create, list, show and change organizations',
  commands: organizationCommands,
};

async function assertCountry(code: string | undefined): Promise<void> {
  if (code === undefined) return;
  const { parseCountry } = await import('../../../tenants/organizations/organization.js');
  if (parseCountry(code) !== null) return;
  throw new UsageError(
    `option '--phone-country <code>' argument '${code}' is invalid. ${parse.countryMessage}`,
  );
}
