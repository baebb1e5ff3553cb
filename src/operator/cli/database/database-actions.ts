import { Types } from 'mongoose';
import { z } from 'zod';
import {
  DatabaseStructure,
  type RecordUsage,
} from '../../../core/database/structure/database-structure.js';
import { mebibyte } from '../../../core/values/numbers.js';
import { isObjectId } from '../../../core/values/text.js';
import { ClientPhones } from '../../../leads/clients/client-phones.service.js';
import { lostOperations, newOperations } from '../../../tenants/keys/api-key-policy.js';
import type { ApiKeyDocument } from '../../../tenants/keys/api-key.schema.js';
import { ApiKeysService } from '../../../tenants/keys/api-keys.service.js';
import { SecretKeys } from '../../../webhooks/endpoints/secret-keys.js';
import { ErasuresService, failureMessage } from '../../erasure/erasures.service.js';
import { type CommandActions, commandLine } from '../command-line/command.js';
import { readTextFile } from '../command-line/files.js';
import { withProgress } from '../command-line/progress.js';
import { item, list, joinResults, type View } from '../command-line/result.js';
import type { databaseCommands } from './database-commands.js';

const storedId = z
  .string()
  .refine(isObjectId)
  .transform((id) => new Types.ObjectId(id));
const ledgerSchema = z.array(z.object({ organizationId: storedId, leadIds: z.array(storedId) }));

const reapplyTexts = { counted: 'erasures', remedy: 'Run the command again for the rest.' };

const usageFields: View<RecordUsage> = [
  'kind',
  { title: 'Retention', of: ({ keptSeconds }) => retentionText(keptSeconds) },
  'isCurrent',
  'count',
  { title: 'MiB', of: ({ bytes }) => (bytes / mebibyte).toFixed(1) },
  'oldest',
];

export const actions: CommandActions<typeof databaseCommands> = {
  init: async (context) => {
    const structure = context.get(DatabaseStructure);
    const migrations = await structure.apply((line) => process.stderr.write(`${line}\n`));
    // The log's own collection may not exist before.
    await context.audit('database.prepare', null, async () => null, migrations.join(' '));
    return joinResults(
      { migrations },
      ...migrations.map((name) => `Ran migration: ${name}`),
      'The database is ready for this version.',
    );
  },

  status: async (context) => {
    const structure = context.get(DatabaseStructure);
    const { retention, ...status } = await structure.status();
    const encryptionKeys = await context.get(SecretKeys).neededKeys();
    const keys = context.get(ApiKeysService);
    const unrestrictedKeys = (await keys.listUnrestricted()).map(keyView);
    const earlierKeys = (await keys.listEarlier()).map(keyView);
    const clientsSharingPhones = await context.get(ClientPhones).countSharing();
    const records = await structure.usageOf(retention);
    const isCurrent = records.every((kind) => kind.isCurrent);
    const isKeyMissing = encryptionKeys.some(({ state }) => state === 'missing');
    const isFailed = !status.isComplete || isKeyMissing || !isCurrent;
    const parts = [
      list(status.collections, ['collection', 'exists', 'validatorIsCurrent', 'missingIndexes']),
      status.migrations.length > 0 && list(status.migrations),
      encryptionKeys.length > 0 && list(encryptionKeys),
      ...describeUnrestrictedKeys(unrestrictedKeys),
      ...describeEarlierKeys(earlierKeys),
      clientsSharingPhones.length > 0 && list(clientsSharingPhones),
      clientsSharingPhones.length > 0 &&
        'These clients share a phone with another client, so one person has several. New leads use the oldest.\n',
      list(records, usageFields),
      status.isOfNewerVersion &&
        'A newer version has prepared the database. Instances of this version keep working.',
      !status.isComplete &&
        `Collections, indexes or migrations are missing or outdated. Run: ${commandLine} db init`,
      status.isComplete &&
        !isCurrent &&
        `Retention in the database differs from the configuration. Run: ${commandLine} db init`,
      isKeyMissing && 'An encryption key is missing: add it to ENCRYPTION_KEYS.',
      !isFailed && 'The database is up to date.',
    ];
    return {
      ...joinResults(
        {
          ...status,
          encryptionKeys,
          unrestrictedKeys,
          earlierKeys,
          clientsSharingPhones,
          records,
        },
        ...parts,
      ),
      isFailed,
    };
  },

  erasures: async (context) => {
    const work = () => context.get(ErasuresService).list();
    const erasures = await context.audit('erasures.show', null, work);
    return list(erasures, ['organizationId', 'leadIds', 'createdAt', 'completedAt']);
  },

  'reapply-erasures': async (context, { ledger }) => {
    const entries = ledger === undefined ? [] : await readLedger(ledger);
    const work = () =>
      withProgress(reapplyTexts, (progress) =>
        context.get(ErasuresService).reapply(entries, progress),
      );
    const outcome = await context.audit('erasures.reapply', null, work);
    const { erasures, failures, ...removed } = outcome;
    const title = `Erasures repeated: ${erasures}. Removed from:`;
    const shown = joinResults({ erasures, ...removed }, title, item(removed));
    return { ...shown, failure: failureMessage(failures) };
  },
};

function keyView(key: ApiKeyDocument) {
  const { _id, organizationId, prefix = '', name = '' } = key;
  return {
    _id,
    organizationId,
    prefix,
    name,
    lostOperations: lostOperations(key),
    newOperations: newOperations(key),
  };
}

function describeEarlierKeys(keys: readonly ReturnType<typeof keyView>[]) {
  if (keys.length === 0) return [];
  return [
    list(keys, ['prefix', 'name', 'organizationId', 'newOperations']),
    `New keys for the same purpose have these new operations, too. To permit them: ${commandLine} key update <id or prefix> --for <purpose>\n`,
  ];
}

function describeUnrestrictedKeys(keys: readonly ReturnType<typeof keyView>[]) {
  if (keys.length === 0) return [];
  return [
    list(keys, ['prefix', 'name', 'organizationId', 'lostOperations', 'newOperations']),
    `No operations were chosen for these keys, so they may permit more than intended. To restrict one: ${commandLine} key update <id or prefix> --for website\n`,
    keys.some(({ lostOperations: lost }) => lost.length > 0) &&
      `Keys with lost operations could use them by permissions.readEvents, which has no effect any more. To permit them again, choose the operations: ${commandLine} key update <id or prefix> --for crm\n`,
  ];
}

async function readLedger(file: string): Promise<z.infer<typeof ledgerSchema>> {
  const text = await readTextFile(file);
  try {
    return ledgerSchema.parse(JSON.parse(text));
  } catch (cause) {
    const message =
      `${file} is not the output of db erasures --json. Remove the lines of npm at its start, or ` +
      'create it with npm run --silent.';
    throw new Error(message, { cause });
  }
}

function retentionText(seconds: number | null): string {
  if (seconds === null) return 'indefinitely';
  const hours = seconds / 3_600;
  return hours % 24 === 0 && hours > 24 ? `${hours / 24} days` : `${hours} hours`;
}
