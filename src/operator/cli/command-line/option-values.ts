import { domainToASCII } from 'node:url';
import { InvalidArgumentError } from 'commander';
import { required } from './declaration.js';
import { languages } from '../../../core/localization/language.js';
import {
  type ClientMatchField,
  clientMatchFields,
} from '../../../tenants/organizations/client-match-fields.js';
import { type KeyPurpose, keyPurposes, operations } from '../../../core/http/operations.js';
import { dayMs } from '../../../core/values/durations.js';
import { limitText, parseDecimal, parseInteger } from '../../../core/values/numbers.js';
import { isValid } from '../../../core/values/rule.js';
import {
  externalId as externalIdKind,
  externalIdLimit,
  isObjectId,
  shortText,
  shortTextLimit,
  webAddress as webAddressKind,
} from '../../../core/values/text.js';
import { parseTime } from '../../../core/values/time.js';
import { isAddressRange } from '../../../tenants/keys/api-key-restrictions.js';
import { deliveryStatuses } from '../../../webhooks/deliveries/delivery-outcome.js';
import { subscriptions } from '../../../events/outbox/event-types.js';

const maxOverlapHours = 8_760;
const maxListLimit = 10_000;
const maxRate = 1_000_000;
const hostLabel = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
/** The last label starts with a letter, so that no address passes for a name. */
const hostName = new RegExp(`^(?=.{1,253}$)(?:${hostLabel}\\.)*(?=[a-z])${hostLabel}$`);

/** Reads the id of a document; gives it in lower case, as ids are shown. */
export const objectId = reader(
  (argument) => (isObjectId(argument) ? argument.toLowerCase() : null),
  'It must be an id of 24 hexadecimal digits.',
);

/** Reads the id of something in an outside system, exactly as it was sent. */
export const externalId = reader(
  textWhere((text) => isValid(externalIdKind, text)),
  `It must have 1 to ${limitText(externalIdLimit)} characters.`,
);

/** Reads a text as it is. */
export const anyText = (text: string): string => text;

/** Reads a name that is not blank. */
export const name = reader(
  textWhere((text) => isValid(shortText, text)),
  `It must not be empty, or longer than ${limitText(shortTextLimit)} characters.`,
);

/** The organization that a command is about. */
export const org = required('<id>', 'id or name of the organization', name);

/** Reads a host name, in the form in which clients send it in `Host`. */
export const domain = reader((argument) => {
  const host = domainToASCII(argument);
  return hostName.test(host) ? host : null;
}, 'It must be a host name such as api.example.com.');

export const webAddress = reader(
  textWhere((text) => isValid(webAddressKind, text)),
  'It must be an http or https address.',
);

export const countryMessage = 'It must be an ISO 3166 alpha-2 code such as EG.';

/** Reads a country code by its form alone; the command checks it against the list of countries before its action. */
export const country = reader(
  textWhere((text) => /^[a-z]{2}$/i.test(text.trim())),
  countryMessage,
);

/** Reads a language of requests. */
export const language = reader(
  (argument) => languages.find((one) => one === argument.toLowerCase()) ?? null,
  `It must be ${languages.join(' or ')}.`,
);

/** Reads `true` or `false`. */
export const trueOrFalse = reader((argument) => {
  if (argument === 'true') return true;
  return argument === 'false' ? false : null;
}, 'It must be true or false.');

/** Reads what clients are matched by, in order of preference. */
export const matchFields = reader((argument) => {
  const fields = argument.split(',').map((field) => field.trim() as ClientMatchField);
  return isMatchList(fields) ? fields : null;
}, 'It must be phone, email or both, separated by a comma.');

/** Reads a day (its beginning in UTC) or a time with its offset. */
export const time = reader(
  parseTime,
  'It must be a date such as 2030-01-31 or 2030-01-31T12:00:00Z.',
);

/** Reads such a time, or a number of days from now on. */
export const expiry = reader((argument) => {
  const days = /^(\d{1,5})d$/.exec(argument)?.[1];
  return days === undefined ? parseTime(argument) : new Date(Date.now() + Number(days) * dayMs);
}, 'It must be a number of days such as 90d, or a date such as 2030-01-31 or 2030-01-31T12:00:00Z.');

/** Reads what a key is for. */
export const keyPurpose = reader(
  (argument) => (Object.hasOwn(keyPurposes, argument) ? (argument as KeyPurpose) : null),
  `It must be ${Object.keys(keyPurposes).join(', ')}.`,
);

/** Reads what a key may do. */
export const operationList = reader(
  (argument) => {
    const wanted = itemsOf(argument);
    const isKnown = wanted.every((operation) => operations.some((known) => known === operation));
    return isKnown ? operations.filter((operation) => wanted.includes(operation)) : null;
  },
  `It must be a list of ${operations.join(', ')}.`,
);

/** Reads from where a key may be used; null for everywhere. */
export const addressList = reader<{ readonly from: readonly string[] | null }>((argument) => {
  if (argument === 'any') return { from: null };
  const from = itemsOf(argument);
  return from.every(isAddressRange) ? { from } : null;
}, 'It must be a list of addresses and ranges such as 203.0.113.7,2001:db8::/32, or any.');

/** Reads a number of hours, up to a year. */
export const hours = reader(
  (argument) => parseDecimal(argument, maxOverlapHours),
  `It must be a number of hours from 0 to ${maxOverlapHours}.`,
);

/** Reads requests a second; 0 is no limit. */
export const requestsPerSecond = reader(
  (argument) => parseInteger(argument, 0, maxRate),
  `It must be a number from 0 (no limit) to ${maxRate}.`,
);

/** Reads how many requests may come at once. */
export const burst = reader(
  (argument) => parseInteger(argument, 1, maxRate),
  `It must be a number from 1 to ${maxRate}.`,
);

/** Reads the events that an endpoint is to get. */
export const eventList = reader(
  (argument) => {
    const types = itemsOf(argument);
    return types.every((type) => subscriptions.includes(type)) ? types : null;
  },
  `It must be a list of ${subscriptions.join(', ')}.`,
);

/** Reads the status of a delivery. */
export const deliveryStatus = reader(
  (argument) => deliveryStatuses.find((status) => status === argument) ?? null,
  `It must be ${deliveryStatuses.join(', ')}.`,
);

/** Reads how many items a list has at most. */
export const listLimit = reader(
  (argument) => parseInteger(argument, 1, maxListLimit),
  `It must be a number from 1 to ${maxListLimit}.`,
);

/** The items of a list with commas, each once. */
function itemsOf(argument: string): string[] {
  return [...new Set(argument.split(',').map((item) => item.trim()))];
}

function isMatchList(fields: readonly ClientMatchField[]): boolean {
  const known = fields.every((field) => clientMatchFields.includes(field));
  return known && new Set(fields).size === fields.length;
}

function textWhere(isMet: (text: string) => boolean): (argument: string) => string | null {
  return (argument) => (isMet(argument) ? argument : null);
}

/** What commander calls with an argument; null from the parser is reported as wrong usage. */
function reader<T>(
  parse: (argument: string) => T | null,
  message: string,
): (argument: string) => T {
  return (argument) => {
    const value = parse(argument);
    if (value === null) throw new InvalidArgumentError(message);
    return value;
  };
}
