import { type CommandGroup, declare, option } from '../command-line/declaration.js';
import * as parse from '../command-line/option-values.js';

export const databaseCommands = {
  init: declare({
    description: 'create or update collections, validators and indexes, and run the migrations',
  }),
  status: declare({
    description:
      'show the structure of the database, the encryption keys that its secrets need, and the number ' +
      'and retention of records of each kind; the exit code is 1 when something is missing or differs',
  }),
  erasures: declare({
    description:
      'list the erasures (ids only); store its --json with the backups, which may be older',
    example: '--json > erasures.json',
  }),
  'reapply-erasures': declare({
    description: 'erase again the data that a restore has brought back; may be repeated',
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

export const databases: CommandGroup = {
  name: 'db',
  description: 'prepare and check the database',
  commands: databaseCommands,
};
