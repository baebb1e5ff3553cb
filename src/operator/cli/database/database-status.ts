import type { RecordUsage } from '../../../core/database/structure/record-usage.js';
import type {
  CollectionState,
  DatabaseStatus,
} from '../../../core/database/structure/database-structure.js';
import type { MigrationState } from '../../../core/database/structure/migrations.js';
import { mebibyte } from '../../../core/values/numbers.js';
import type { NeededKey } from '../../../webhooks/endpoints/secret-keys.js';
import { commandLine } from '../command-line/command-texts.js';
import { type Columns, printLine, printList } from '../command-line/output.js';

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

/** How the keys that secrets need are shown, by their ids. */
export const neededKeyColumns: Columns<NeededKey> = {
  'Encryption key': ({ key }) => key,
  Secrets: ({ secrets }) => secrets,
  State: ({ state }) => state,
};

/** A key that may do more than anybody chose. */
export interface UnrestrictedKey {
  readonly _id: string;
  readonly organizationId: string;
  readonly prefix: string;
  readonly name: string;
}

const unrestrictedColumns: Columns<UnrestrictedKey> = {
  'Key without operations': ({ prefix }) => prefix,
  Name: ({ name }) => name,
  Organization: ({ organizationId }) => organizationId,
};

/** What `db status` says to people. */
export function printStatus(
  { isComplete, isOfNewerVersion, collections, migrations }: Omit<DatabaseStatus, 'retention'>,
  encryptionKeys: readonly NeededKey[],
  unrestrictedKeys: readonly UnrestrictedKey[],
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
  if (unrestrictedKeys.length > 0) {
    printLine('');
    printList(unrestrictedKeys, unrestrictedColumns, {});
    printLine(`Restrict them: ${commandLine} key update <id or prefix> --for website`);
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
