import { domainToASCII } from 'node:url';
import { InvalidArgumentError } from 'commander';
import { type KeyPurpose, keyPurposes, operations } from '../../../core/http/operations.js';
import { languages } from '../../../core/localization/language.js';
import { dayMs, parseTime } from '../../../core/values/time.js';
import { limitText, parseDecimal, parseInteger } from '../../../core/values/numbers.js';
import { isValid } from '../../../core/values/rule.js';
import {
  externalId,
  maxExternalIdLength,
  isObjectId,
  shortText,
  maxShortTextLength,
  httpUrl,
} from '../../../core/values/text.js';
import { subscriptions } from '../../../events/outbox/event-types.js';
import { isAddressRange } from '../../../tenants/keys/api-key-policy.js';
import { clientMatchFields } from '../../../tenants/organizations/client-match-fields.js';
import { deliveryStatuses } from '../../../webhooks/deliveries/delivery-outcome.js';
import { required } from './declaration.js';

const maxOverlapHours = 8_760;
const hostLabel = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
/** The last label starts with a letter, so that no address passes for a name. */
const hostName = new RegExp(`^(?=.{1,253}$)(?:${hostLabel}\\.)*(?=[a-z])${hostLabel}$`);
const timeExamples = '2030-01-31 or 2030-01-31T12:00:00Z';

/** In lower case, as ids are shown. */
export const objectId = reader(
  (text) => (isObjectId(text) ? text.toLowerCase() : null),
  'It must be an id of 24 hexadecimal digits.',
);

/** The id of something in an outside system, exactly as it was sent. */
export const externalIdOption = textWhere(
  (text) => isValid(externalId, text),
  `It must have 1 to ${limitText(maxExternalIdLength)} characters.`,
);

export const textOption = (text: string): string => text;

export const name = textWhere(
  (text) => isValid(shortText, text),
  `It must not be empty, or longer than ${limitText(maxShortTextLength)} characters.`,
);

export const org = required('<id>', 'id or name of the organization', name);

export const domain = reader((text) => {
  const host = domainToASCII(text);
  return hostName.test(host) ? host : null;
}, 'It must be a host name such as api.example.com.');

export const urlOption = textWhere(
  (text) => isValid(httpUrl, text),
  'It must be an http or https URL.',
);

export const countryMessage = 'It must be an ISO 3166 alpha-2 code such as EG.';

/** By its form alone: the list of countries is loaded later. */
export const country = textWhere((text) => /^[a-z]{2}$/i.test(text.trim()), countryMessage);

export const language = reader(
  (text) => languages.find((one) => one === text.toLowerCase()) ?? null,
  `It must be ${languages.join(' or ')}.`,
);

export const trueOrFalse = reader(
  (text) => text === 'true' || (text === 'false' ? false : null),
  'It must be true or false.',
);

export const matchFields = reader(
  (text) => itemsOf(clientMatchFields, text, { canRepeat: false }),
  'It must be phone, email or both, separated by a comma.',
);

export const time = reader(parseTime, `It must be a date such as ${timeExamples}.`);

export const expiry = reader((text) => {
  const days = /^(\d{1,5})d$/.exec(text)?.[1];
  return days === undefined ? parseTime(text) : new Date(Date.now() + Number(days) * dayMs);
}, `It must be a number of days such as 90d, or a date such as ${timeExamples}.`);

export const keyPurpose = reader(
  (text) => (Object.hasOwn(keyPurposes, text) ? (text as KeyPurpose) : null),
  `It must be ${Object.keys(keyPurposes).join(', ')}.`,
);

export const operationList = reader(
  (text) => {
    const wanted = itemsOf(operations, text);
    return wanted && operations.filter((operation) => wanted.includes(operation));
  },
  `It must be a list of ${operations.join(', ')}.`,
);

/** Addresses from which a key may be used; null for everywhere. */
export const addressList = reader<{ readonly from: readonly string[] | null }>((text) => {
  if (text === 'any') return { from: null };
  const from = split(text);
  return from.every(isAddressRange) ? { from } : null;
}, 'It must be a list of addresses and ranges such as 203.0.113.7,2001:db8::/32, or any.');

export const hours = reader(
  (text) => parseDecimal(text, maxOverlapHours),
  `It must be a number of hours from 0 to ${maxOverlapHours}.`,
);

export const requestsPerSecond = wholeNumber(0, 1_000_000, ' (no limit)');
export const burst = wholeNumber(1, 1_000_000);
export const listLimitOption = wholeNumber(1, 10_000);

export const eventTypesOption = reader(
  (text) => itemsOf(subscriptions, text),
  `It must be a list of ${subscriptions.join(', ')}.`,
);

export const deliveryStatus = reader(
  (text) => deliveryStatuses.find((status) => status === text) ?? null,
  `It must be ${deliveryStatuses.join(', ')}.`,
);

function wholeNumber(min: number, max: number, meaning = '') {
  return reader(
    (text) => parseInteger(text, min, max),
    `It must be a number from ${min}${meaning} to ${max}.`,
  );
}

function itemsOf<T extends string>(
  known: readonly T[],
  text: string,
  { canRepeat = true } = {},
): T[] | null {
  const items = split(text);
  const isRepeated = items.length < text.split(',').length;
  if (isRepeated && !canRepeat) return null;
  return items.every((one): one is T => known.some((each) => each === one)) ? items : null;
}

function split(text: string): string[] {
  return [...new Set(text.split(',').map((one) => one.trim()))];
}

function textWhere(isMet: (text: string) => boolean, message: string) {
  return reader((text) => (isMet(text) ? text : null), message);
}

/** A parser for commander, which reports the error as wrong usage. */
function reader<T>(parse: (text: string) => T | null, message: string): (text: string) => T {
  return (text) => {
    const value = parse(text);
    if (value === null) throw new InvalidArgumentError(message);
    return value;
  };
}
