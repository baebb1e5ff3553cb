import type { Command } from 'commander';
import type { Types } from 'mongoose';
import type { ErasureDocument } from '../../erasure/erasure.schema.js';
import { isPlainObject } from '../../../core/values/plain-object.js';
import { withApplication } from '../command-line/application.js';
import { addPrintingCommand } from '../command-line/command-texts.js';
import { readTextFile } from '../command-line/files.js';
import {
  type Columns,
  type OutputOptions,
  printItem,
  printJson,
  printLine,
  printList,
} from '../command-line/output.js';
import { withProgress } from '../command-line/progress.js';
import { erasureColumns } from '../leads/lead-erase-command.js';

interface ReapplyOptions extends OutputOptions {
  readonly ledger?: string;
}

type Entry = Pick<ErasureDocument, 'organizationId' | 'leadIds'>;

const reapplyTexts = { counted: 'erasures', remedy: 'Repeat the command to do the rest.' };

const ledgerColumns: Columns<ErasureDocument> = {
  Organization: ({ organizationId }) => organizationId.toHexString(),
  Leads: ({ leadIds }) => leadIds.map((id) => id.toHexString()),
  Begun: ({ createdAt }) => createdAt,
  Completed: ({ completedAt }) => completedAt,
};

/** Adds the commands on the ledger of erasures. */
export function addErasureCommands(group: Command): void {
  addPrintingCommand(group, {
    name: 'erasures',
    description:
      'list the erasures (ids only); keep its --json beside the backups, which may be older',
    example: 'db erasures --json > erasures.json',
  }).action((options: OutputOptions) =>
    withApplication(async (application) => {
      const { ErasuresService } = await import('../../erasure/erasures.service.js');
      const erasures = await application.get(ErasuresService).list();
      printList(erasures, ledgerColumns, options);
    }),
  );
  addPrintingCommand(group, {
    name: 'reapply-erasures',
    description: 'erase again what a restore has brought back; may be repeated',
    example: 'db reapply-erasures --ledger erasures.json',
  })
    .option('--ledger <file>', 'what `db erasures --json` printed before the restore')
    .action((options: ReapplyOptions) =>
      withApplication(async (application) => {
        const { assertAllDone, ErasuresService } =
          await import('../../erasure/erasures.service.js');
        const entries = options.ledger === undefined ? [] : await readLedger(options.ledger);
        const { erasures, failures, ...report } = await withProgress(reapplyTexts, (progress) =>
          application.get(ErasuresService).reapply(entries, progress),
        );
        if (options.json === true) printJson({ erasures, ...report });
        else {
          printLine(`Erasures done again: ${erasures}. Removed from:`);
          printItem(report, erasureColumns, options);
        }
        assertAllDone(failures);
      }),
    );
}

/** @throws Error when the file is no list of erasures */
async function readLedger(file: string): Promise<Entry[]> {
  const { parseObjectId } = await import('../../../core/database/documents/object-id.js');
  const list = parsed(await readTextFile(file));
  const entries = Array.isArray(list) ? list.map((value) => entryOf(value, parseObjectId)) : [null];
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

function entryOf(value: unknown, toId: (text: string) => Types.ObjectId | null): Entry | null {
  if (!isPlainObject(value) || !Array.isArray(value['leadIds'])) return null;
  const organizationId = toId(String(value['organizationId']));
  const leadIds = value['leadIds'].map((id) => toId(String(id)));
  if (organizationId === null || leadIds.includes(null)) return null;
  return { organizationId, leadIds: leadIds.filter((id) => id !== null) };
}
