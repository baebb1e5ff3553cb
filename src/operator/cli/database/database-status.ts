import type {
  DatabaseStatus,
  RecordUsage,
} from '../../../core/database/structure/database-structure.js';
import { mebibyte } from '../../../core/values/numbers.js';
import type { NeededKey } from '../../../webhooks/endpoints/secret-keys.js';
import { commandLine } from '../command-line/declaration.js';
import { type Columns, list, report, type Result } from '../command-line/result.js';

const collectionColumns: Columns<DatabaseStatus['collections'][number]> = {
  Collection: ({ collection }) => collection,
  Exists: ({ exists }) => (exists ? 'yes' : 'no'),
  Validator: ({ validatorIsCurrent }) => (validatorIsCurrent ? 'current' : 'outdated'),
  'Missing indexes': ({ missingIndexes }) => missingIndexes,
};

const migrationColumns: Columns<DatabaseStatus['migrations'][number]> = {
  Migration: ({ version }) => version,
  Name: ({ name }) => name,
  State: ({ state }) => state,
};

const usageColumns: Columns<RecordUsage> = {
  Records: ({ kind }) => kind,
  Kept: ({ keptSeconds }) => retentionText(keptSeconds),
  'In the database': ({ isCurrent }) => (isCurrent ? 'the same' : 'differs'),
  Count: ({ count }) => count,
  MiB: ({ bytes }) => (bytes / mebibyte).toFixed(1),
  Oldest: ({ oldest }) => oldest,
};

export const neededKeyColumns: Columns<NeededKey> = {
  'Encryption key': ({ key }) => key,
  Secrets: ({ secrets }) => secrets,
  State: ({ state }) => state,
};

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

interface Status extends Omit<DatabaseStatus, 'retention'> {
  readonly encryptionKeys: readonly NeededKey[];
  readonly unrestrictedKeys: readonly UnrestrictedKey[];
  readonly records: readonly RecordUsage[];
}

export function statusReport(status: Status): Result {
  const { isComplete, isOfNewerVersion, collections, migrations, records } = status;
  const { encryptionKeys, unrestrictedKeys } = status;
  const parts = [
    list(collections, collectionColumns),
    '',
    ...(migrations.length > 0 ? [list(migrations, migrationColumns), ''] : []),
    ...(encryptionKeys.length > 0 ? [list(encryptionKeys, neededKeyColumns), ''] : []),
    ...(unrestrictedKeys.length > 0
      ? [
          list(unrestrictedKeys, unrestrictedColumns),
          `Restrict them: ${commandLine} key update <id or prefix> --for website`,
          '',
        ]
      : []),
    list(records, usageColumns),
    '',
    ...(isOfNewerVersion
      ? ['A newer version has prepared the database, for old instances too.']
      : []),
    conclusion(isComplete, records),
  ];
  const lacksKey = encryptionKeys.some(({ state }) => state === 'missing');
  const isCurrent = records.every((kind) => kind.isCurrent);
  return { ...report(status, ...parts), isFailed: !isComplete || lacksKey || !isCurrent };
}

function conclusion(isComplete: boolean, records: readonly RecordUsage[]): string {
  if (!isComplete) return `Something is missing: ${commandLine} db init`;
  if (records.every(({ isCurrent }) => isCurrent)) return 'Nothing is missing.';
  return `Records are not kept as the configuration says: ${commandLine} db init`;
}

function retentionText(seconds: number | null): string {
  if (seconds === null) return 'indefinitely';
  const hours = seconds / 3_600;
  return hours % 24 === 0 && hours > 24 ? `${hours / 24} days` : `${hours} hours`;
}
