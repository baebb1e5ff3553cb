import type { Command } from 'commander';
import type {
  NeededKey,
  Resealed,
  UnopenedSecret,
} from '../../../webhooks/endpoints/secret-keys.js';
import { withApplication } from '../command-line/application.js';
import { addPrintingCommand } from '../command-line/command-texts.js';
import {
  type Columns,
  type OutputOptions,
  printJson,
  printLine,
  printList,
} from '../command-line/output.js';
import { withProgress } from '../command-line/progress.js';

const resealTexts = {
  counted: 'secrets sealed with the newest key',
  remedy: 'Run the command again for the rest.',
};

/** How the keys that secrets need are shown, by their ids. */
export const neededKeyColumns: Columns<NeededKey> = {
  'Encryption key': ({ key }) => key,
  Secrets: ({ secrets }) => secrets,
  State: ({ state }) => state,
};

const unopenedColumns: Columns<UnopenedSecret> = {
  Endpoint: ({ endpointId }) => endpointId,
  Organization: ({ organizationId }) => organizationId,
  'Encryption key': ({ key }) => key,
  'Not opened': ({ reason }) => reason,
};

/** Adds `webhook reseal`; its exit code is 1 while another key than the newest is needed. */
export function addResealCommand(group: Command): void {
  addPrintingCommand(group, {
    name: 'reseal',
    description:
      'seal the secrets of all endpoints with the first of ENCRYPTION_KEYS; receivers notice nothing',
    example: 'webhook reseal',
  }).action((options: OutputOptions) =>
    withApplication(async (application) => {
      const { SecretKeys } = await import('../../../webhooks/endpoints/secret-keys.js');
      const outcome = await withProgress(resealTexts, (progress) =>
        application.get(SecretKeys).reseal(progress),
      );
      if (options.json === true) printJson(outcome);
      else printOutcome(outcome);
      if (outcome.keys.some(({ state }) => state !== 'newest')) process.exitCode = 1;
    }),
  );
}

function printOutcome({ resealed, unopened, keys }: Resealed): void {
  printLine(`Sealed with the newest key: ${resealed}`);
  if (unopened.length > 0) {
    printLine('');
    printList(unopened, unopenedColumns, {});
  }
  if (keys.length > 0) {
    printLine('');
    printList(keys, neededKeyColumns, {});
  }
}
