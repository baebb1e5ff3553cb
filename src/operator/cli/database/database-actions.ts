import { DatabaseStructure } from '../../../core/database/structure/database-structure.js';
import { parseObjectId } from '../../../core/database/documents/object-id.js';
import { RecordUsages } from '../../../core/database/structure/record-usage.js';
import { isPlainObject } from '../../../core/values/plain-object.js';
import { ApiKeysService } from '../../../tenants/keys/api-keys.service.js';
import { SecretKeys } from '../../../webhooks/endpoints/secret-keys.js';
import type { ErasureDocument } from '../../erasure/erasure.schema.js';
import { assertAllDone, ErasuresService } from '../../erasure/erasures.service.js';
import type { ActionsOf } from '../command-line/declaration.js';
import { readTextFile } from '../command-line/files.js';
import { logged } from '../command-line/logged.js';
import {
  type Columns,
  printItem,
  printJson,
  printLine,
  printList,
} from '../command-line/output.js';
import { withProgress } from '../command-line/progress.js';
import { erasureColumns } from '../leads/lead-erasure.js';
import type { databaseCommands } from './database-commands.js';
import { printStatus } from './database-status.js';

type Entry = Pick<ErasureDocument, 'organizationId' | 'leadIds'>;

const reapplyTexts = { counted: 'erasures', remedy: 'Repeat the command to do the rest.' };

const ledgerColumns: Columns<ErasureDocument> = {
  Organization: ({ organizationId }) => organizationId.toHexString(),
  Leads: ({ leadIds }) => leadIds.map((id) => id.toHexString()),
  Begun: ({ createdAt }) => createdAt,
  Completed: ({ completedAt }) => completedAt,
};

export const actions: ActionsOf<typeof databaseCommands> = {
  init: async (application, { json }) => {
    const structure = application.get(DatabaseStructure);
    const migrations = await structure.apply((line) => process.stderr.write(`${line}\n`));
    // Only now: before, there may be no collection for it.
    const preparing = { action: 'prepare', subject: 'database' } as const;
    await logged(application, { ...preparing, details: migrations.join(' ') }, async () => null);
    if (json === true) return printJson({ migrations });
    for (const name of migrations) printLine(`Migration has run: ${name}`);
    printLine('The database has everything that this version needs.');
  },

  status: async (application, { json }) => {
    const { retention, ...status } = await application.get(DatabaseStructure).status();
    const encryptionKeys = await application.get(SecretKeys).needed();
    const unrestrictedKeys = (await application.get(ApiKeysService).listUnrestricted()).map(
      ({ _id, organizationId, prefix = '', name = '' }) => ({
        _id: _id.toHexString(),
        organizationId: organizationId.toHexString(),
        prefix,
        name,
      }),
    );
    const records = await application.get(RecordUsages).of(retention);
    if (json === true) printJson({ ...status, encryptionKeys, unrestrictedKeys, records });
    else printStatus(status, encryptionKeys, unrestrictedKeys, records);
    const lacksKey = encryptionKeys.some(({ state }) => state === 'missing');
    const isCurrent = records.every((kind) => kind.isCurrent);
    if (!status.isComplete || lacksKey || !isCurrent) process.exitCode = 1;
  },

  erasures: async (application, output) => {
    const showing = { action: 'show', subject: 'database', details: 'erasures' } as const;
    const erasures = await logged(application, showing, () =>
      application.get(ErasuresService).list(),
    );
    printList(erasures, ledgerColumns, output);
  },

  'reapply-erasures': async (application, { ledger, ...output }) => {
    const entries = ledger === undefined ? [] : await readLedger(ledger);
    const { erasures, failures, ...report } = await logged(
      application,
      { action: 'erase', subject: 'database', details: 'erasures' },
      () =>
        withProgress(reapplyTexts, (progress) =>
          application.get(ErasuresService).reapply(entries, progress),
        ),
    );
    if (output.json === true) printJson({ erasures, ...report });
    else {
      printLine(`Erasures done again: ${erasures}. Removed from:`);
      printItem(report, erasureColumns, output);
    }
    assertAllDone(failures);
  },
};

/** @throws Error when the file is no list of erasures */
async function readLedger(file: string): Promise<Entry[]> {
  const list = parsed(await readTextFile(file));
  const entries = Array.isArray(list) ? list.map(entryOf) : [null];
  if (entries.includes(null)) {
    throw new Error(
      `${file} is not what db erasures --json prints. Lines of npm at its beginning have to go: ` +
        'npm run --silent prints none.',
    );
  }
  return entries.filter((entry) => entry !== null);
}

/** The value of a JSON text; undefined when it is none. */
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
