import { type CommandGroup, defineCommand, option } from '../command-line/command-definition.js';
import * as parse from '../command-line/option-values.js';

export const databaseCommands = {
  init: defineCommand({
    description: 'create or update collections, validators and indexes, and run the migrations',
  }),
  status: defineCommand({
    description:
      'show the state of collections, indexes, migrations and encryption keys, and the number and ' +
      'retention of records; exits with 1 if anything is missing or outdated',
  }),
  erasures: defineCommand({
    description:
      'list the erasures (ids only); store the --json output separately from the backups',
    example: '--json > erasures.json',
  }),
  'reapply-erasures': defineCommand({
    description: 'repeat erasures after restoring a backup; safe to run again',
    example: '--ledger erasures.json',
    parameters: {
      ledger: option(
        '<file>',
        'output of `db erasures --json` from before the restore',
        parse.text,
      ),
    },
  }),
};

export const databaseGroup: CommandGroup = {
  name: 'db',
  description: 'prepare and check the database',
  commands: databaseCommands,
};
