import type { Command, OptionValues } from '@commander-js/extra-typings';
import { exampleId, newCommand, newGroup, UsageError } from '../command-line/command.js';
import * as parse from '../command-line/option-values.js';

const nameText = 'name of the organization';

function withSettings<A extends unknown[], O extends OptionValues>(command: Command<A, O>) {
  return command
    .option('--api-domain <domain>', 'host name at which its clients call the API', parse.domain)
    .option('--logo <url>', 'URL of the logo', parse.url)
    .option(
      '--phone-country <code>',
      'country of phone numbers without a country code, ISO 3166 alpha-2 (default: EG)',
      parse.country,
    )
    .option(
      '--allow-conflict-leads <true|false>',
      'whether two leads may have the same phone (default: false)',
      parse.trueOrFalse,
    )
    .option(
      '--create-clients <true|false>',
      'whether leads create clients (default: true)',
      parse.trueOrFalse,
    )
    .option(
      '--update-clients <true|false>',
      'whether leads update the clients they match (default: true)',
      parse.trueOrFalse,
    )
    .option(
      '--match-clients-by <fields>',
      'fields by which clients are matched, in order (default: phone,email)',
      parse.matchFields,
    );
}

export const organizationCommands = {
  create: withSettings(
    newCommand(
      'create an organization; omitted settings get their defaults',
      '--name "Nile Homes" --api-domain api.nile-homes.example',
    ).requiredOption('--name <name>', nameText, parse.name),
  ).hook('preAction', (command) => assertCountry(command.opts().phoneCountry)),
  list: newCommand('list the organizations, oldest first'),
  show: newCommand('show an organization with all its settings', exampleId).argument(
    '<id>',
    parse.orgText,
    parse.name,
  ),
  update: withSettings(
    newCommand('change settings of an organization', `${exampleId} --allow-conflict-leads true`)
      .argument('<id>', parse.orgText, parse.name)
      .option('--name <name>', nameText, parse.name),
  ).hook('preAction', (command) => {
    const { json: _json, ...changes } = command.opts();
    if (Object.values(changes).every((value) => value === undefined)) {
      throw new UsageError('Specify at least one setting to change.');
    }
    return assertCountry(changes.phoneCountry);
  }),
  sandbox: newCommand(
    'create an organization with sample records and keys, for a partner who tries the API',
    '--name "Sandbox of Nile CRM" --url https://api.nile-homes.example',
  )
    .requiredOption('--name <name>', nameText, parse.name)
    .option(
      '--url <url>',
      'address at which the partner reaches the service (default: this host)',
      parse.url,
    ),
  reset: newCommand(
    'delete all records of a sandbox and store the sample records again; keys stay',
    `--org ${exampleId}`,
  ).requiredOption('--org <id>', parse.orgText, parse.name),
};

export const organizationGroup = newGroup(
  'org',
  'create, list, show and change organizations',
  organizationCommands,
);

async function assertCountry(code: string | undefined): Promise<void> {
  if (code === undefined) return;
  const { parseCountry } = await import('../../../tenants/organizations/organization.js');
  if (parseCountry(code) !== null) return;
  throw new UsageError(
    `option '--phone-country <code>' argument '${code}' is invalid. ${parse.countryMessage}`,
  );
}
