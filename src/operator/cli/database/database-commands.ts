import { type CommandGroup, declare, option } from '../command-line/declaration.js';
import * as parse from '../command-line/option-values.js';

export const databaseCommands = {
  init: declare({
    description: 'create or update collections, validators and indexes, and run the migrations',
  }),
  status: declare({
    description:
      'show the structure of the database, the encryption keys that its secrets need, and the ' +
      'number and retention of records of each kind; exits with 1 if something is missing or ' +
      'differs',
  }),
  erasures: declare({
    description: 'list the erasures (ids only); store the --json output apart from the backups',
    example: '--json > erasures.json',
  }),
  'reapply-erasures': declare({
    description: 'repeat erasures after a restore has brought data back; may be run again',
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
