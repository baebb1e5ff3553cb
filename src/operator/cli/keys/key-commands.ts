import type { Command } from 'commander';
import type { RateLimit } from '../../../core/http/rate-limit/token-buckets.js';
import { withApplication } from '../command-line/application.js';
import { addCommand, addPrintingCommand, exampleId } from '../command-line/command-texts.js';
import { logged } from '../command-line/logged.js';
import { WrongUsageError } from '../command-line/operator-command.js';
import { hourMs } from '../../../core/values/durations.js';
import {
  issuedColumns,
  listedKeyColumns,
  listedKeyView,
  keyView,
  limitedColumns,
  newKeyView,
  revokedColumns,
  rotatedColumns,
  rotatedKeyView,
} from './key-view.js';
import { findSingleKey, keysOf } from './key-lookup.js';
import { addRequests } from './key-requests-command.js';
import {
  addRestrictionOptions,
  addUpdate,
  operationsOf,
  purposeMissing,
  type RestrictionOptions,
} from './key-update-command.js';
import { burst, expiry, hours, name, requestsPerSecond } from '../command-line/option-values.js';
import { organizationOf } from '../organizations/organization-view.js';
import { type OutputOptions, printList, printItem } from '../command-line/output.js';

interface ListOptions extends OutputOptions {
  readonly org: string;
}

interface LimitOptions {
  readonly rps?: number;
  readonly burst?: number;
  readonly default?: boolean;
}

interface IssueOptions extends ListOptions, LimitOptions, RestrictionOptions {
  readonly name: string;
  readonly signed?: boolean;
  readonly expires?: Date;
}

interface RotateOptions extends OutputOptions {
  readonly overlapHours: number;
}

const rpsText = "requests a second, 0 for no limit (default: the service's)";
const burstText = 'requests at once (default: those of two seconds)';

export function addKeyCommands(program: Command): void {
  const group = addCommand(program, {
    name: 'key',
    description:
      'issue, list, update, limit, revoke and rotate API keys, and see why requests were refused',
    example: `key list --org ${exampleId}`,
  });
  addIssue(group);
  addList(group);
  addUpdate(group);
  addLimit(group);
  addRevoke(group);
  addRotate(group);
  addRequests(group);
}

function addIssue(group: Command): void {
  const command = addPrintingCommand(group, {
    name: 'issue',
    description: 'issue a key for an organization and show it once',
    example: `key issue --org ${exampleId} --name Website --for website --expires 90d`,
  });
  addRestrictionOptions(command)
    .requiredOption('--org <id>', 'id or name of the organization', name)
    .requiredOption('--name <name>', 'what the key is for', name)
    .option('--signed', 'its callbacks have to be signed, by a secret that is shown once, too')
    .option('--expires <when>', 'in days (90d), or an ISO 8601 date (default: never)', expiry)
    .option('--rps <n>', rpsText, requestsPerSecond)
    .option('--burst <n>', burstText, burst)
    .action((options: IssueOptions) => {
      const rateLimit = rateLimitOf(options);
      const permitted = operationsOf(options);
      if (permitted === undefined) throw new WrongUsageError(purposeMissing);
      if (options.signed === true && !permitted.includes('reservations.callback')) {
        throw new WrongUsageError('--signed is for keys that may report (reservations.callback).');
      }
      return withApplication(async (application) => {
        const { _id: organizationId } = await organizationOf(application, options.org);
        const keys = await keysOf(application);
        const to = { _id: organizationId, organizationId };
        const { name: details } = options;
        const issuing = { action: 'issue', subject: 'organization', to, details } as const;
        const issued = await logged(application, issuing, () =>
          keys.issue({
            organizationId,
            name: options.name,
            operations: permitted,
            addresses: options.addresses?.from ?? null,
            isSigned: options.signed ?? false,
            rateLimit,
            expiresAt: options.expires ?? null,
          }),
        );
        printItem(newKeyView(issued), issuedColumns, options);
      });
    });
}

function addList(group: Command): void {
  addPrintingCommand(group, {
    name: 'list',
    description: 'list the keys of an organization, oldest first, ended ones included',
    example: `key list --org ${exampleId}`,
  })
    .requiredOption('--org <id>', 'id or name of the organization', name)
    .action((options: ListOptions) =>
      withApplication(async (application) => {
        const { _id } = await organizationOf(application, options.org);
        const keys = await keysOf(application);
        const documents = await keys.list(_id);
        const { UsageStatsService } = await import('../../usage/usage-stats.service.js');
        const usage = await application.get(UsageStatsService).baselines();
        const views = documents.map((document) =>
          listedKeyView(document, keys, usage.get(document._id.toHexString())?.used ?? {}),
        );
        printList(views, listedKeyColumns, options);
      }),
    );
}

function addLimit(group: Command): void {
  addPrintingCommand(group, {
    name: 'limit',
    description:
      'give a key a limit of requests of its own, within 5 seconds everywhere, or let the ' +
      "service's count again",
    example: 'key limit iapi_4fT9xQ --rps 500 --burst 1000',
  })
    .argument('<id-or-prefix>', 'id of the key, or the prefix that is shown of it')
    .option('--rps <n>', rpsText, requestsPerSecond)
    .option('--burst <n>', burstText, burst)
    .option('--default', "the service's limit, in place of one of the key's own")
    .action((idOrPrefix: string, options: OutputOptions & LimitOptions) => {
      const rateLimit = rateLimitOf(options);
      if ((rateLimit === null) !== (options.default ?? false)) {
        throw new WrongUsageError("Give a limit (--rps) or the service's (--default).");
      }
      return withApplication(async (application) => {
        const keys = await keysOf(application);
        const key = await findSingleKey(keys, idOrPrefix);
        const limiting = { action: 'limit', subject: 'key', to: key } as const;
        await logged(application, limiting, () => keys.setRateLimit(key, rateLimit));
        printItem(keyView({ ...key, rateLimit }, keys), limitedColumns, options);
      });
    });
}

function addRevoke(group: Command): void {
  addPrintingCommand(group, {
    name: 'revoke',
    description: 'end a key; running services forget it within 5 seconds',
    example: 'key revoke iapi_4fT9xQ',
  })
    .argument('<id-or-prefix>', 'id of the key, or the prefix that is shown of it')
    .action((idOrPrefix: string, options: OutputOptions) =>
      withApplication(async (application) => {
        const keys = await keysOf(application);
        const key = await findSingleKey(keys, idOrPrefix);
        const revoking = { action: 'revoke', subject: 'key', to: key } as const;
        const revokedAt = await logged(application, revoking, () => keys.revoke(key));
        printItem(keyView({ ...key, revokedAt }, keys), revokedColumns, options);
      }),
    );
}

function addRotate(group: Command): void {
  addPrintingCommand(group, {
    name: 'rotate',
    description: 'issue the successor of a key, show it once, and let the old key end later',
    example: 'key rotate iapi_4fT9xQ --overlap-hours 48',
  })
    .argument('<id-or-prefix>', 'id of the key, or the prefix that is shown of it')
    .option('--overlap-hours <n>', 'how long the old key keeps working', hours, 24)
    .action((idOrPrefix: string, options: RotateOptions) =>
      withApplication(async (application) => {
        const keys = await keysOf(application);
        const old = await findSingleKey(keys, idOrPrefix);
        const rotating = { action: 'rotate', subject: 'key', to: old } as const;
        const rotated = await logged(application, rotating, () =>
          keys.rotate(old, options.overlapHours * hourMs),
        );
        printItem(rotatedKeyView(old, rotated), rotatedColumns, options);
      }),
    );
}

/**
 * Requests at once are as in the service's own limit: twice those of a second.
 *
 * @throws WrongUsageError
 */
function rateLimitOf({ rps, burst: atOnce }: LimitOptions): RateLimit | null {
  if (rps !== undefined) return { rps, burst: atOnce ?? Math.max(1, 2 * rps) };
  if (atOnce !== undefined) throw new WrongUsageError('--burst counts only together with --rps.');
  return null;
}
