import { type CommandGroup, declare, option } from '../command-line/declaration.js';
import { anyText } from '../command-line/option-values.js';

export const databaseCommands = {
  init: declare({
    description: 'create or update collections, validators and indexes, and run the migrations',
  }),
  status: declare({
    description:
      'show what the database has and lacks, which encryption keys its secrets need, and how many ' +
      'records of each kind it keeps how long; the exit code is 1 when something lacks or differs',
  }),
  erasures: declare({
    description:
      'list the erasures (ids only); keep its --json beside the backups, which may be older',
    example: '--json > erasures.json',
  }),
  'reapply-erasures': declare({
    description: 'erase again what a restore has brought back; may be repeated',
    example: '--ledger erasures.json',
    takes: {
      ledger: option('<file>', 'what `db erasures --json` printed before the restore', anyText),
    },
  }),
};

export const databases: CommandGroup = {
  name: 'db',
  description: 'prepare and check the database',
  example: 'status',
  commands: databaseCommands,
};
