import {
  type KeyPurpose,
  keyPurposes,
  type Operation,
  operations,
  pageOperation,
  type PurposePermissions,
  type Visibility,
} from '../../../tenants/keys/permissions.js';
import { isForPagesOnly } from '../../../tenants/keys/api-key-policy.js';
import type { RateLimit } from '../../../core/http/requests/request-caller.js';
import {
  argument,
  type CommandGroup,
  defineCommand,
  exampleId,
  flag,
  option,
  required,
  UsageError,
  org,
} from '../command-line/command-definition.js';
import * as parse from '../command-line/option-values.js';

const purposes = Object.keys(keyPurposes).join(', ');
const key = argument('<id-or-prefix>', 'id of the key, or its displayed prefix', parse.text);
const restrictions = {
  for: option('<purpose>', `purpose of the key: ${purposes}`, parse.keyPurpose),
  operations: option(
    '<list>',
    `permitted operations: ${operations.join(', ')}`,
    parse.operationList,
  ),
  addresses: option(
    '<list>',
    'permitted client addresses and CIDR ranges, or any',
    parse.addressList,
  ),
  origins: option(
    '<list>',
    'origins whose pages may use the key, or none; only with --for website',
    parse.originList,
  ),
  visibility: option(
    '<all|public>',
    'what the key sees of compounds and units (default: that of --for portal, otherwise all for a new key)',
    parse.visibility,
  ),
};
const limits = {
  rps: option(
    '<n>',
    "requests per second, 0 for no limit (default: the service's)",
    parse.requestsPerSecond,
  ),
  burst: option(
    '<n>',
    'burst size in requests; requires --rps (default: twice --rps)',
    parse.burst,
  ),
};

export const keyCommands = {
  issue: defineCommand({
    description: 'issue a key for an organization and show it once',
    example: `--org ${exampleId} --name Website --for website --expires 90d`,
    parameters: {
      ...restrictions,
      org,
      name: required('<name>', 'name of the key, such as the system that uses it', parse.name),
      signed: flag('require signed callbacks, and show the signing secret once'),
      expires: option(
        '<when>',
        'expiry in days (90d) or as an ISO 8601 date (default: never)',
        parse.expiry,
      ),
      ...limits,
    },
    check: (values) => {
      rateLimitOf(values);
      const permitted = operationsOf(values);
      if (permitted === undefined) {
        throw new UsageError(`Specify what the key may do: --for (${purposes}) or --operations.`);
      }
      assertForPagesOnly(permitted, values.origins?.from);
      if (values.signed && !permitted.includes('reservations.callback')) {
        throw new UsageError('--signed requires the operation reservations.callback.');
      }
    },
  }),
  list: defineCommand({
    description:
      'list the keys of an organization, oldest first, including expired and revoked keys',
    example: `--org ${exampleId}`,
    parameters: { org },
  }),
  update: defineCommand({
    description:
      'change the operations, addresses, origins or visibility of a key; applies everywhere within 5 seconds',
    example: 'iapi_4fT9xQ --for website --addresses 203.0.113.0/24',
    parameters: { key, ...restrictions },
    check: (values) => {
      if (operationsOf(values) ?? values.addresses ?? values.origins ?? values.visibility) return;
      throw new UsageError(
        'Specify at least one of --for, --operations, --addresses, --origins and --visibility.',
      );
    },
  }),
  limit: defineCommand({
    description:
      "set a key's own rate limit, or restore the service's; applies everywhere within 5 seconds",
    example: 'iapi_4fT9xQ --rps 500 --burst 1000',
    parameters: { key, ...limits, default: flag("use the service's limit") },
    check: (values) => {
      if ((rateLimitOf(values) === null) === values.default) return;
      throw new UsageError("Specify either a limit (--rps) or the service's (--default).");
    },
  }),
  revoke: defineCommand({
    description: 'revoke a key; every running service rejects it within 5 seconds',
    example: 'iapi_4fT9xQ',
    parameters: { key },
  }),
  rotate: defineCommand({
    description: 'replace a key and show the new one once',
    example: 'iapi_4fT9xQ --overlap-hours 48',
    parameters: {
      key,
      overlapHours: option('<n>', 'hours for which the old key stays valid', parse.hours, 24),
    },
  }),
  usage: defineCommand({
    description:
      'list the keys of all organizations with their calls, silent and failing keys first',
  }),
  requests: defineCommand({
    description:
      'list the rejected requests of a key, and accepted ones with ignored fields or without effect, newest first',
    example: 'iapi_4fT9xQ --limit 20',
    parameters: { key, limit: option('<n>', 'maximum number of results', parse.limit, 50) },
  }),
};

export const keyGroup: CommandGroup = {
  name: 'key',
  description: 'issue and manage API keys, and show their calls and rejected requests',
  commands: keyCommands,
};

/** The default burst is twice the rate, as in the service's own limit. */
export function rateLimitOf(values: {
  readonly rps: number | undefined;
  readonly burst: number | undefined;
}): RateLimit | null {
  const { rps, burst: atOnce } = values;
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

export function operationsOf(values: {
  readonly for: KeyPurpose | undefined;
  readonly operations: readonly Operation[] | undefined;
}): readonly Operation[] | undefined {
  if (values.for === undefined) return values.operations;
  if (values.operations !== undefined) {
    throw new UsageError('Specify either --for or --operations, not both.');
  }
  return keyPurposes[values.for].operations;
}

/** Returns undefined if neither option names one: an update then keeps the visibility. */
export function visibilityOf(values: {
  readonly for: KeyPurpose | undefined;
  readonly visibility: Visibility | undefined;
}): Visibility | undefined {
  if (values.visibility !== undefined || values.for === undefined) return values.visibility;
  const { visibility }: PurposePermissions = keyPurposes[values.for];
  return visibility;
}
