import type { Command } from 'commander';
import {
  type KeyPurpose,
  keyPurposes,
  type Operation,
  operations,
} from '../../../core/http/operations.js';
import { withApplication } from '../command-line/application.js';
import { addPrintingCommand } from '../command-line/command-texts.js';
import { logged } from '../command-line/logged.js';
import { WrongUsageError } from '../command-line/operator-command.js';
import { addressList, keyPurpose, operationList } from '../command-line/option-values.js';
import { type OutputOptions, printItem } from '../command-line/output.js';
import { findSingleKey, keysOf } from './key-lookup.js';
import { keyView, restrictedColumns } from './key-view.js';

/** What a key is to be for, and from where it may be used. */
export interface RestrictionOptions {
  readonly for?: KeyPurpose;
  readonly operations?: readonly Operation[];
  readonly addresses?: { readonly from: readonly string[] | null };
}

const purposes = Object.keys(keyPurposes).join(', ');

/** What is wrong with a key that would be for nothing. */
export const purposeMissing = `Say what the key is for: --for (${purposes}) or --operations.`;

export function addRestrictionOptions(command: Command): Command {
  return command
    .option('--for <purpose>', `for a purpose: ${purposes}`, keyPurpose)
    .option('--operations <list>', `for single operations: ${operations.join(', ')}`, operationList)
    .option(
      '--addresses <list>',
      'from where it may be used: addresses and CIDR ranges; any for everywhere',
      addressList,
    );
}

export function addUpdate(group: Command): void {
  const command = addPrintingCommand(group, {
    name: 'update',
    description: 'change what a key may be used for, or from where, within 5 seconds everywhere',
    example: 'key update iapi_4fT9xQ --for website --addresses 203.0.113.0/24',
  });
  addRestrictionOptions(command)
    .argument('<id-or-prefix>', 'id of the key, or the prefix that is shown of it')
    .action((idOrPrefix: string, options: OutputOptions & RestrictionOptions) => {
      const permitted = operationsOf(options);
      const { addresses } = options;
      if (permitted === undefined && addresses === undefined) {
        throw new WrongUsageError('Give what to change: --for, --operations or --addresses.');
      }
      const changes = {
        ...(permitted && { operations: [...permitted] }),
        ...(addresses && { addresses: addresses.from && [...addresses.from] }),
      };
      return withApplication(async (application) => {
        const keys = await keysOf(application);
        const key = await findSingleKey(keys, idOrPrefix);
        const updating = { action: 'update', subject: 'key', to: key } as const;
        await logged(application, updating, () => keys.restrict(key, changes));
        const permissions = { ...key.permissions, ...changes };
        printItem(keyView({ ...key, permissions }, keys), restrictedColumns, options);
      });
    });
}

/**
 * What a key is to be for; undefined where no option says it.
 *
 * @throws WrongUsageError
 */
export function operationsOf(options: RestrictionOptions): readonly Operation[] | undefined {
  const { for: purpose, operations: listed } = options;
  if (purpose === undefined) return listed;
  if (listed !== undefined) throw new WrongUsageError('Give --for or --operations, not both.');
  return keyPurposes[purpose];
}
