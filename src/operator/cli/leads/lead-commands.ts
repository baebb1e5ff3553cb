import { Option } from '@commander-js/extra-typings';
import { defaultLanguage, languages } from '../../../core/localization/language.js';
import {
  exampleId,
  newCommand,
  newGroup,
  type OptionsOf,
  UsageError,
} from '../command-line/command.js';
import * as parse from '../command-line/option-values.js';

const leadText = 'external id (recordSystemId) of the lead, or its own id or number';
const example = `form-7f3a --org ${exampleId}`;

export const leadCommands = {
  show: newCommand('show a lead, deleted or not', example)
    .argument('<lead>', leadText, parse.externalId)
    .requiredOption('--org <id>', parse.orgText, parse.name),
  history: newCommand(
    'show the changes of a lead and their webhook deliveries, oldest first',
    example,
  )
    .argument('<lead>', leadText, parse.externalId)
    .requiredOption('--org <id>', parse.orgText, parse.name),
  erase: newCommand(
    'erase a person: remove the values of leads, client, history, events, deliveries and ' +
      'responses; ids, numbers and times stay. With --phone or --email it lists all leads of ' +
      'the person and asks for confirmation. Repeat it to finish an interrupted erasure',
    `--org ${exampleId} --lead form-7f3a --dry-run`,
  )
    .requiredOption('--org <id>', parse.orgText, parse.name)
    .addOption(
      new Option('--lead <id>', 'external id (recordSystemId) of the lead, or its own id')
        .argParser(parse.externalId)
        .conflicts(['phone', 'email']),
    )
    .option('--phone <number>', 'phone number of the person, in any format', parse.name)
    .option('--email <address>', 'email address of the person', parse.name)
    .option('--dry-run', 'show what would be removed, without removing it')
    .option('--yes', 'do not ask for confirmation')
    .hook('preAction', (command) => assertPerson(command.opts())),
  import: newCommand(
    'create or update leads from a CSV or NDJSON file, as POST /leads does; importing the ' +
      'same file again continues an interrupted import',
    `leads.csv --org ${exampleId} --report refused.csv`,
  )
    .argument('<file>', 'path of the file; NDJSON if it ends with .ndjson or .jsonl')
    .requiredOption('--org <id>', parse.orgText, parse.name)
    .option('--dry-run', 'store nothing; report the changes that each batch of 100 rows would make')
    .option('--restart', 'start with the first row even if the file was imported before')
    .option(
      '--report <file>',
      'write every refused row and the reason to a file that can be corrected and imported',
    )
    .addOption(
      new Option('--language <code>', 'language of project names and messages')
        .choices(languages)
        .default(defaultLanguage),
    ),
};

export type EraseOptions = OptionsOf<typeof leadCommands.erase>;
export type ImportOptions = OptionsOf<typeof leadCommands.import>;

export const leadGroup = newGroup('lead', 'look up, trace, erase and import leads', leadCommands);

async function assertPerson(options: {
  readonly lead?: string | undefined;
  readonly phone?: string | undefined;
  readonly email?: string | undefined;
}): Promise<void> {
  const { isVisibleEmail } = await import('../../../core/values/email.js');
  const { isPhone, maxPhoneLength, phoneMinDigits } =
    await import('../../../tenants/contacts/phone-reading.js');
  const { lead, phone, email } = options;
  if ((lead ?? phone ?? email) === undefined) {
    throw new UsageError('Specify either the lead (--lead) or the person (--phone, --email).');
  }
  if (phone !== undefined && !isPhone(phone)) {
    throw new UsageError(
      `${phone} is not a phone number: it must have at least ${phoneMinDigits} digits and at most ` +
        `${maxPhoneLength} characters, such as 0100 123 4567.`,
    );
  }
  if (email !== undefined && !isVisibleEmail(email)) {
    throw new UsageError(
      `${email} is not a valid email address, or contains characters that cannot be seen: type it, ` +
        'such as mona@example.com.',
    );
  }
}
