import { type Command, Option, type OptionValues } from '@commander-js/extra-typings';
import {
  type KeyPurpose,
  keyPurposes,
  type Operation,
  operations,
  pageOperation,
  type PurposeRestrictions,
  type Visibility,
  visibilities,
} from '../../../tenants/keys/operations.js';
import { isForPagesOnly } from '../../../tenants/keys/api-key-policy.js';
import type { RateLimit } from '../../../core/http/requests/request-caller.js';
import { exampleId, newCommand, newGroup, UsageError } from '../command-line/command.js';
import * as parse from '../command-line/option-values.js';

const purposes = Object.keys(keyPurposes) as KeyPurpose[];
const keyText = 'id of the key, or its displayed prefix';

function withRestrictions<A extends unknown[], O extends OptionValues>(command: Command<A, O>) {
  return command
    .addOption(
      new Option('--for <purpose>', 'purpose of the key').choices(purposes).conflicts('operations'),
    )
    .option(
      '--operations <list>',
      `permitted operations: ${operations.join(', ')}`,
      parse.operationList,
    )
    .option(
      '--addresses <list>',
      'permitted client addresses and CIDR ranges, or any',
      parse.addressList,
    )
    .option(
      '--origins <list>',
      'origins whose pages may use the key, or none; only with --for website',
      parse.originList,
    )
    .addOption(
      new Option(
        '--visibility <all|public>',
        'compounds and units that the key can read (default: public with --for portal, otherwise all, or unchanged)',
      ).choices(visibilities),
    );
}

function withLimits<A extends unknown[], O extends OptionValues>(command: Command<A, O>) {
  return command
    .option(
      '--rps <n>',
      "requests per second, 0 for no limit (default: the service's)",
      parse.requestsPerSecond,
    )
    .option(
      '--burst <n>',
      'burst size in requests; requires --rps (default: twice --rps)',
      parse.burst,
    );
}

export const keyCommands = {
  issue: withLimits(
    withRestrictions(
      newCommand(
        'issue a key for an organization and show it once',
        `--org ${exampleId} --name Website --for website --expires 90d`,
      )
        .requiredOption('--org <id>', parse.orgText, parse.name)
        .requiredOption(
          '--name <name>',
          'name of the key, such as the system that uses it',
          parse.name,
        )
        .option('--signed', 'require signed callbacks, and show the signing secret once')
        .option(
          '--expires <when>',
          'expiry in days (90d) or as an ISO 8601 date (default: never)',
          parse.expiry,
        ),
    ),
  ).hook('preAction', (command) => {
    const options = command.opts();
    rateLimitOf(options);
    const permitted = operationsOf(options);
    if (permitted === undefined) {
      throw new UsageError(
        `Specify what the key may do: --for (${purposes.join(', ')}) or --operations.`,
      );
    }
    assertForPagesOnly(permitted, options.origins?.from);
    if (options.signed && !permitted.includes('reservations.callback')) {
      throw new UsageError('--signed requires the operation reservations.callback.');
    }
  }),
  list: newCommand(
    'list keys with their last call, oldest first, including expired and revoked keys',
    `--org ${exampleId}`,
  ).option('--org <id>', 'only keys of this organization (id or name)', parse.name),
  update: withRestrictions(
    newCommand(
      'change the operations, addresses, origins or visibility of a key; applies everywhere within 5 seconds',
      'iapi_4fT9xQ --for website --addresses 203.0.113.0/24',
    ).argument('<id-or-prefix>', keyText),
  ).hook('preAction', (command) => {
    const options = command.opts();
    if (operationsOf(options) ?? options.addresses ?? options.origins ?? options.visibility) return;
    throw new UsageError(
      'Specify at least one of --for, --operations, --addresses, --origins and --visibility.',
    );
  }),
  limit: withLimits(
    newCommand(
      "set a key's own rate limit, or restore the service's; applies everywhere within 5 seconds",
      'iapi_4fT9xQ --rps 500 --burst 1000',
    )
      .argument('<id-or-prefix>', keyText)
      .addOption(new Option('--default', "use the service's limit").conflicts(['rps', 'burst'])),
  ).hook('preAction', (command) => {
    const options = command.opts();
    if (rateLimitOf(options) ?? options.default) return;
    throw new UsageError("Specify either a limit (--rps) or the service's (--default).");
  }),
  revoke: newCommand(
    'revoke a key; every running service refuses it within 5 seconds',
    'iapi_4fT9xQ',
  ).argument('<id-or-prefix>', keyText),
  rotate: newCommand('replace a key and show the new one once', 'iapi_4fT9xQ --overlap-hours 48')
    .argument('<id-or-prefix>', keyText)
    .option('--overlap-hours <n>', 'hours for which the old key stays valid', parse.hours, 24),
  usage: newCommand(
    'list the keys of all organizations with their calls, silent and failing keys first',
  ),
  requests: newCommand(
    'list the refused requests of a key, and accepted ones with ignored fields or without effect, newest first',
    'iapi_4fT9xQ --code lead.duplicate_phone --since 2030-01-31',
  )
    .argument('<id-or-prefix>', keyText)
    .option('--code <code>', 'only requests with this error code or notice, or fields.ignored')
    .option('--since <date>', 'only requests since this time (ISO 8601)', parse.time)
    .option('--limit <n>', parse.limitText, parse.limit, 50),
};

export const keyGroup = newGroup(
  'key',
  'issue and manage API keys, and show their calls and refused requests',
  keyCommands,
);

/** The default burst is twice the rate, as in the service's own limit. */
export function rateLimitOf(options: {
  readonly rps?: number | undefined;
  readonly burst?: number | undefined;
}): RateLimit | null {
  const { rps, burst: atOnce } = options;
  if (rps !== undefined) return { rps, burst: atOnce ?? Math.max(1, 2 * rps) };
  if (atOnce !== undefined) throw new UsageError('--burst requires --rps.');
  return null;
}

/** @throws UsageError for a key with origins and other operations than those of pages */
export function assertForPagesOnly(
  permitted: readonly string[] | null | undefined,
  origins: readonly string[] | null | undefined,
): void {
  if (isForPagesOnly(permitted, origins)) return;
  throw new UsageError(
    `A key with origins permits ${pageOperation} alone, because every visitor can read it: use --for website, or --origins none.`,
  );
}

export function operationsOf(options: {
  readonly for?: KeyPurpose | undefined;
  readonly operations?: readonly Operation[] | undefined;
}): readonly Operation[] | undefined {
  return options.for === undefined ? options.operations : keyPurposes[options.for].operations;
}

/** Returns undefined if neither option names one: an update then keeps the visibility. */
export function visibilityOf(options: {
  readonly for?: KeyPurpose | undefined;
  readonly visibility?: Visibility | undefined;
}): Visibility | undefined {
  if (options.visibility !== undefined || options.for === undefined) return options.visibility;
  const { visibility }: PurposeRestrictions = keyPurposes[options.for];
  return visibility;
}
