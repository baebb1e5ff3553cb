import type { INestApplicationContext } from '@nestjs/common';
import type { Command } from 'commander';
import type { RecordUsage } from '../../../core/database/structure/record-usage.js';
import type {
  CollectionState,
  DatabaseStatus,
} from '../../../core/database/structure/database-structure.js';
import type { MigrationState } from '../../../core/database/structure/migrations.js';
import type { NeededKey } from '../../../webhooks/endpoints/secret-keys.js';
import { mebibyte } from '../../../core/values/numbers.js';
import { withApplication } from '../command-line/application.js';
import { addCommand, addPrintingCommand, commandLine } from '../command-line/command-texts.js';
import {
  type Columns,
  type OutputOptions,
  printJson,
  printLine,
  printList,
} from '../command-line/output.js';
import { addErasureCommands } from './erasure-commands.js';
import { neededKeyColumns } from '../webhooks/webhook-reseal-command.js';

const collectionColumns: Columns<CollectionState> = {
  Collection: ({ collection }) => collection,
  Exists: ({ exists }) => (exists ? 'yes' : 'no'),
  Validator: ({ validatorIsCurrent }) => (validatorIsCurrent ? 'current' : 'outdated'),
  'Missing indexes': ({ missingIndexes }) => missingIndexes,
};

const migrationColumns: Columns<MigrationState> = {
  Migration: ({ version }) => version,
  Name: ({ name }) => name,
  State: ({ state }) => state,
};

const usageColumns: Columns<RecordUsage> = {
  Records: ({ kind }) => kind,
  Kept: ({ keptSeconds }) => keptText(keptSeconds),
  'In the database': ({ isCurrent }) => (isCurrent ? 'the same' : 'differs'),
  Count: ({ count }) => count,
  MiB: ({ bytes }) => (bytes / mebibyte).toFixed(1),
  Oldest: ({ oldest }) => oldest,
};

export function addDatabaseCommands(program: Command): void {
  const group = addCommand(program, {
    name: 'db',
    description: 'prepare and check the database',
    example: 'db status',
  });
  addInit(group);
  addStatus(group);
  addErasureCommands(group);
}

function addInit(group: Command): void {
  addPrintingCommand(group, {
    name: 'init',
    description: 'create or update collections, validators and indexes, and run the migrations',
    example: 'db init',
  }).action(({ json }: OutputOptions) =>
    withApplication(async (application) => {
      const structure = await structureOf(application);
      const migrations = await structure.apply((line) => process.stderr.write(`${line}\n`));
      if (json === true) return printJson({ migrations });
      for (const name of migrations) printLine(`Migration has run: ${name}`);
      printLine('The database has everything that this version needs.');
    }),
  );
}

function addStatus(group: Command): void {
  addPrintingCommand(group, {
    name: 'status',
    description:
      'show what the database has and lacks, which encryption keys its secrets need, and how many ' +
      'records of each kind it keeps how long; the exit code is 1 when something lacks or differs',
    example: 'db status',
  }).action((options: OutputOptions) =>
    withApplication(async (application) => {
      const { SecretKeys } = await import('../../../webhooks/endpoints/secret-keys.js');
      const { RecordUsages } = await import('../../../core/database/structure/record-usage.js');
      const { retention, ...status } = await (await structureOf(application)).status();
      const encryptionKeys = await application.get(SecretKeys).needed();
      const records = await application.get(RecordUsages).of(retention);
      if (options.json === true) printJson({ ...status, encryptionKeys, records });
      else printStatus(status, encryptionKeys, records);
      const lacksKey = encryptionKeys.some(({ state }) => state === 'missing');
      const isCurrent = records.every((kind) => kind.isCurrent);
      if (!status.isComplete || lacksKey || !isCurrent) process.exitCode = 1;
    }),
  );
}

async function structureOf(application: INestApplicationContext) {
  const { DatabaseStructure } =
    await import('../../../core/database/structure/database-structure.js');
  return application.get(DatabaseStructure);
}

function printStatus(
  { isComplete, isOfNewerVersion, collections, migrations }: Omit<DatabaseStatus, 'retention'>,
  encryptionKeys: readonly NeededKey[],
  records: readonly RecordUsage[],
): void {
  printList(collections, collectionColumns, {});
  if (migrations.length > 0) {
    printLine('');
    printList(migrations, migrationColumns, {});
  }
  if (encryptionKeys.length > 0) {
    printLine('');
    printList(encryptionKeys, neededKeyColumns, {});
  }
  printLine('');
  printList(records, usageColumns, {});
  printLine('');
  if (isOfNewerVersion)
    printLine('A newer version has prepared the database, for old instances too.');
  printLine(conclusion(isComplete, records));
}

function conclusion(isComplete: boolean, records: readonly RecordUsage[]): string {
  if (!isComplete) return `Something is missing: ${commandLine} db init`;
  if (records.every(({ isCurrent }) => isCurrent)) return 'Nothing is missing.';
  return `Records are not kept as the configuration says: ${commandLine} db init`;
}

function keptText(seconds: number | null): string {
  if (seconds === null) return 'for ever';
  const hours = seconds / 3_600;
  return hours % 24 === 0 && hours > 24 ? `${hours / 24} days` : `${hours} hours`;
}
