import { newCommand, newGroup } from '../command-line/command.js';

export const databaseCommands = {
  init: newCommand('create or update collections, validators and indexes, and run the migrations'),
  status: newCommand(
    'show the state of collections, indexes, migrations and encryption keys, and the number and ' +
      'retention of records; exits with 1 if anything is missing or outdated',
  ),
  erasures: newCommand(
    'list the erasures (ids only); store the --json output separately from the backups',
    '--json > erasures.json',
  ),
  'reapply-erasures': newCommand(
    'repeat erasures after restoring a backup; safe to run again',
    '--ledger erasures.json',
  ).option('--ledger <file>', 'output of `db erasures --json` from before the restore'),
};

export const databaseGroup = newGroup('db', 'prepare and check the database', databaseCommands);
