import { DatabaseStructure } from '../../../core/database/structure/database-structure.js';
import { parseObjectId } from '../../../core/database/documents/tenant-document.js';
import { isPlainObject } from '../../../core/values/json.js';
import { ApiKeysService } from '../../../tenants/keys/api-keys.service.js';
import { SecretKeys } from '../../../webhooks/endpoints/secret-keys.js';
import type { ErasureDocument } from '../../erasure/erasure.schema.js';
import { ErasuresService, failureOf } from '../../erasure/erasures.service.js';
import type { ActionsOf } from '../command-line/declaration.js';
import { readTextFile } from '../command-line/files.js';
import { withProgress } from '../command-line/progress.js';
import { type Columns, item, list, report } from '../command-line/result.js';
import { erasureColumns } from '../leads/lead-erasure.js';
import type { databaseCommands } from './database-commands.js';
import { statusReport } from './database-status.js';

type Entry = Pick<ErasureDocument, 'organizationId' | 'leadIds'>;

const reapplyTexts = { counted: 'erasures', remedy: 'Run the command again for the rest.' };

const ledgerColumns: Columns<ErasureDocument> = {
  Organization: ({ organizationId }) => organizationId.toHexString(),
  Leads: ({ leadIds }) => leadIds.map((id) => id.toHexString()),
  Begun: ({ createdAt }) => createdAt,
  Completed: ({ completedAt }) => completedAt,
};

export const actions: ActionsOf<typeof databaseCommands> = {
  init: async (context) => {
    const structure = context.get(DatabaseStructure);
    const migrations = await structure.apply((line) => process.stderr.write(`${line}\n`));
    // The collection of the log may not exist before.
    const preparing = {
      action: 'prepare',
      subject: 'database',
      details: migrations.join(' '),
    } as const;
    await context.logged(preparing, async () => null);
    return report(
      { migrations },
      ...migrations.map((name) => `Migration has run: ${name}`),
      'The database has everything that this version needs.',
    );
  },

  status: async (context) => {
    const structure = context.get(DatabaseStructure);
    const { retention, ...status } = await structure.status();
    const encryptionKeys = await context.get(SecretKeys).needed();
    const unrestrictedKeys = (await context.get(ApiKeysService).listUnrestricted()).map(
      ({ _id, organizationId, prefix = '', name = '' }) => ({
        _id: _id.toHexString(),
        organizationId: organizationId.toHexString(),
        prefix,
        name,
      }),
    );
    const records = await structure.usageOf(retention);
    return statusReport({ ...status, encryptionKeys, unrestrictedKeys, records });
  },

  erasures: async (context) => {
    const showing = { action: 'show', subject: 'database', details: 'erasures' } as const;
    const erasures = await context.logged(showing, () => context.get(ErasuresService).list());
    return list(erasures, ledgerColumns);
  },

  'reapply-erasures': async (context, { ledger }) => {
    const entries = ledger === undefined ? [] : await readLedger(ledger);
    const erasing = { action: 'erase', subject: 'database', details: 'erasures' } as const;
    const { erasures, failures, ...removed } = await context.logged(erasing, () =>
      withProgress(reapplyTexts, (progress) =>
        context.get(ErasuresService).reapply(entries, progress),
      ),
    );
    return {
      ...report(
        { erasures, ...removed },
        `Erasures done again: ${erasures}. Removed from:`,
        item(removed, erasureColumns),
      ),
      failure: failureOf(failures),
    };
  },
};

async function readLedger(file: string): Promise<Entry[]> {
  const value = parsed(await readTextFile(file));
  const entries = Array.isArray(value) ? value.map(entryOf) : [null];
  if (entries.includes(null)) {
    throw new Error(
      `${file} is not the output of db erasures --json. Remove lines of npm at its beginning: ` +
        'npm run --silent prints none.',
    );
  }
  return entries.filter((entry) => entry !== null);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function entryOf(value: unknown): Entry | null {
  if (!isPlainObject(value) || !Array.isArray(value['leadIds'])) return null;
  const organizationId = parseObjectId(String(value['organizationId']));
  const leadIds = value['leadIds'].map((id) => parseObjectId(String(id)));
  if (organizationId === null || leadIds.includes(null)) return null;
  return { organizationId, leadIds: leadIds.filter((id) => id !== null) };
}
