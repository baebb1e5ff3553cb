import { domainToASCII } from 'node:url';
import { InvalidArgumentError } from '@commander-js/extra-typings';
import { operations } from '../../../tenants/keys/operations.js';
import { dayMs, isWithoutZone, parseTime } from '../../../core/values/time.js';
import {
  limitText as countText,
  parseDecimal,
  parseInteger,
} from '../../../core/values/numbers.js';
import {
  isExternalId,
  isObjectId,
  isShortText,
  isWebAddress,
  maxExternalIdLength,
  maxShortTextLength,
} from '../../../core/values/text.js';
import { subscriptions } from '../../../events/outbox/event-types.js';
import { isAddressRange } from '../../../tenants/keys/api-key-policy.js';
import { isOrigin, maxOrigins } from '../../../tenants/keys/origins/origin.js';
import { clientMatchFields } from '../../../tenants/organizations/client-match-fields.js';

const maxOverlapHours = 8_760;
const hostLabel = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
/** The last label starts with a letter, so that an IP address does not count as a name. */
const hostName = new RegExp(`^(?=.{1,253}$)(?:${hostLabel}\\.)*(?=[a-z])${hostLabel}$`);
export const orgText = 'id or name of the organization';
export const limitText = 'maximum number of results';
const timeExamples = '2030-01-31 or 2030-01-31T12:00:00Z';

/** Converts ids to lower case. */
export const objectId = parser(
  (value) => (isObjectId(value) ? value.toLowerCase() : null),
  'It must be an id of 24 hexadecimal digits.',
);

/** Accepts an id of an outside system unchanged. */
export const externalId = textParser(
  isExternalId,
  `It must have 1 to ${countText(maxExternalIdLength)} characters.`,
);

export const name = textParser(
  isShortText,
  `It must have 1 to ${countText(maxShortTextLength)} characters.`,
);

export const domain = parser((value) => {
  const host = domainToASCII(value);
  return hostName.test(host) ? host : null;
}, 'It must be a host name such as api.example.com.');

export const url = textParser(
  (value) => isShortText(value) && isWebAddress(value),
  'It must be an http or https URL.',
);

export const countryMessage = 'It must be an ISO 3166 alpha-2 code such as EG.';

/** Checks only the form: the list of countries is loaded later. */
export const country = parser(
  (value) => (/^[a-z]{2}$/i.test(value.trim()) ? value : null),
  countryMessage,
);

export const trueOrFalse = parser(
  (value) => value === 'true' || (value === 'false' ? false : null),
  'It must be true or false.',
);

export const matchFields = parser((value) => {
  const fields = itemsOf(clientMatchFields, value);
  return fields !== null && fields.length === value.split(',').length ? fields : null;
}, 'It must be phone, email or both, separated by a comma.');

export const time = parser(parseZonedTime, `It must be a date such as ${timeExamples}.`);

export const expiry = parser((value) => {
  const days = /^(\d{1,5})d$/.exec(value)?.[1];
  return days === undefined ? parseZonedTime(value) : new Date(Date.now() + Number(days) * dayMs);
}, `It must be a number of days such as 90d, or a date such as ${timeExamples}.`);

export const operationList = listOf(operations);
export const eventTypes = listOf(subscriptions);

/** Null permits every address. */
export const addressList = parser<{ readonly from: readonly string[] | null }>((value) => {
  if (value === 'any') return { from: null };
  const from = distinctItems(value);
  return from.every(isAddressRange) ? { from } : null;
}, 'It must be a list of addresses and ranges such as 203.0.113.7,2001:db8::/32, or any.');

/** Null means that no page may use the key. */
export const originList = parser<{ readonly from: readonly string[] | null }>((value) => {
  if (value === 'none') return { from: null };
  const from = distinctItems(value);
  return from.length <= maxOrigins && from.every(isOrigin) ? { from } : null;
}, `It must be none, or a list of at most ${maxOrigins} origins such as https://nile.example,https://www.nile.example: lower-case, without a path, and https except for localhost.`);

export const hours = parser(
  (value) => parseDecimal(value, maxOverlapHours),
  `It must be a number of hours from 0 to ${maxOverlapHours}.`,
);

export const requestsPerSecond = wholeNumber(0, 1_000_000, ' (no limit)');
export const burst = wholeNumber(1, 1_000_000);
export const limit = wholeNumber(1, 10_000);

function wholeNumber(min: number, max: number, meaning = '') {
  return parser(
    (value) => parseInteger(value, min, max),
    `It must be a whole number from ${min}${meaning} to ${max}.`,
  );
}

function listOf<T extends string>(known: readonly T[]) {
  return parser(
    (value) => itemsOf(known, value),
    `It must be a comma-separated list of ${known.join(', ')}.`,
  );
}

/** Removes repetitions; returns null for an unknown item. */
function itemsOf<T extends string>(known: readonly T[], value: string): T[] | null {
  const items = distinctItems(value);
  return items.every((item): item is T => known.some((each) => each === item)) ? items : null;
}

function distinctItems(value: string): string[] {
  return [...new Set(value.split(',').map((item) => item.trim()))];
}

function textParser(isValid: (value: string) => boolean, message: string) {
  return parser((value) => (isValid(value) ? value : null), message);
}

function parseZonedTime(value: string): Date | null {
  if (!isWithoutZone(value)) return parseTime(value);
  throw new InvalidArgumentError('It has no time zone: add Z or an offset such as +02:00.');
}

/** Commander reports the parser's error as wrong usage. */
function parser<T>(parse: (value: string) => T | null, message: string): (value: string) => T {
  return (value) => {
    const parsed = parse(value);
    if (parsed === null) throw new InvalidArgumentError(message);
    return parsed;
  };
}
