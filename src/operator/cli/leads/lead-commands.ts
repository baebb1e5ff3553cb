import { defaultLanguage } from '../../../core/localization/language.js';
import {
  argument,
  type CommandGroup,
  defineCommand,
  exampleId,
  flag,
  option,
  UsageError,
  org,
} from '../command-line/command-definition.js';
import * as parse from '../command-line/option-values.js';

const lead = argument(
  '<lead>',
  'external id (recordSystemId) of the lead, or its own id or number',
  parse.externalId,
);
const example = `form-7f3a --org ${exampleId}`;

export const leadCommands = {
  show: defineCommand({
    description: 'show a lead, deleted or not',
    example,
    parameters: { lead, org },
  }),
  history: defineCommand({
    description: 'show the changes of a lead and their webhook deliveries, oldest first',
    example,
    parameters: { lead, org },
  }),
  erase: defineCommand({
    description:
      'erase a person: remove the values of leads, client, history, events, deliveries and ' +
      'responses; ids, numbers and times stay. With --phone or --email it lists all leads of ' +
      'the person and asks for confirmation. Repeat it to finish an interrupted erasure',
    example: `--org ${exampleId} --lead form-7f3a --dry-run`,
    parameters: {
      org,
      lead: option(
        '<id>',
        'external id (recordSystemId) of the lead, or its own id',
        parse.externalId,
      ),
      phone: option('<number>', 'phone number of the person, in any format', parse.name),
      email: option('<address>', 'email address of the person', parse.name),
      dryRun: flag('show what would be removed, without removing it'),
      yes: flag('do not ask for confirmation'),
    },
    check: assertPerson,
  }),
  import: defineCommand({
    description:
      'create or update leads from a CSV or NDJSON file, as POST /leads does; importing the ' +
      'same file again continues an interrupted import',
    example: `leads.csv --org ${exampleId} --report rejected.csv`,
    parameters: {
      file: argument(
        '<file>',
        'path of the file; NDJSON if it ends with .ndjson or .jsonl',
        parse.text,
      ),
      org,
      dryRun: flag('store nothing; report the changes that each batch of 100 rows would make'),
      restart: flag('start with the first row even if the file was imported before'),
      report: option(
        '<file>',
        'write every rejected row and the reason to a file that can be corrected and imported',
        parse.text,
      ),
      language: option(
        '<code>',
        'language of project names and messages: en-us or ar-eg',
        parse.language,
        defaultLanguage,
      ),
    },
  }),
};

export const leadGroup: CommandGroup = {
  name: 'lead',
  description: 'look up, trace, erase and import leads',
  commands: leadCommands,
};

async function assertPerson(values: {
  readonly lead: string | undefined;
  readonly phone: string | undefined;
  readonly email: string | undefined;
}): Promise<void> {
  const { isVisibleEmail } = await import('../../../core/values/email.js');
  const { isPhone, maxPhoneLength, phoneMinDigits } =
    await import('../../../tenants/contacts/phone-reading.js');
  const { phone, email } = values;
  if ((phone ?? email) === undefined ? values.lead === undefined : values.lead !== undefined) {
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
