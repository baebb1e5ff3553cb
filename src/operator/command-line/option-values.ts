import { domainToASCII } from 'node:url';
import { InvalidArgumentError } from 'commander';
import { isSupportedCountry } from 'libphonenumber-js';
import { Types } from 'mongoose';
import { z } from 'zod';
import { clientMatchFields } from '../../organizations/organization.js';
import type { ClientMatchField } from '../../organizations/organization.schema.js';
import { deliveryStatuses } from '../../webhooks/deliveries/delivery-outcome.js';
import { subscriptions } from '../../webhooks/outbox/event-types.js';

const longestOverlapHours = 8_760;
const longestList = 10_000;
const hostLabel = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
/** The last label starts with a letter, so that no address passes for a name. */
const hostName = new RegExp(`^(?=.{1,253}$)(?:${hostLabel}\\.)*(?=[a-z])${hostLabel}$`);

/** Reads the id of a document. */
export const objectId = valueOf(
  z
    .string()
    .regex(/^[0-9a-fA-F]{24}$/, 'It must be an id of 24 hexadecimal digits.')
    .transform((id) => new Types.ObjectId(id)),
);

/** Reads a name that is not blank. */
export const name = valueOf(z.string().trim().min(1, 'It must not be empty.'));

/** Reads a host name, in the form in which clients send it in `Host`. */
export const domain = valueOf(
  z
    .string()
    .transform((value) => domainToASCII(value))
    .refine((value) => hostName.test(value), 'It must be a host name such as api.example.com.'),
);

/** Reads an address of the web. */
export const webAddress = valueOf(
  z.url({ protocol: /^https?$/, error: 'It must be an http or https address.' }),
);

/** Reads a country whose phone numbers are known. */
export const country = valueOf(
  z
    .string()
    .toUpperCase()
    .refine(isSupportedCountry, 'It must be an ISO 3166 alpha-2 code such as EG.'),
);

/** Reads `true` or `false`. */
export const flag = valueOf(
  z
    .enum(['true', 'false'], { error: 'It must be true or false.' })
    .transform((value) => value === 'true'),
);

/** Reads what clients are matched by, in order of preference. */
export const matchFields = valueOf(
  z
    .string()
    .transform((value) => value.split(',').map((field) => field.trim() as ClientMatchField))
    .refine(isMatchList, 'It must be phone, email or both, separated by a comma.'),
);

/** Reads a day (its beginning in UTC) or a time with its offset. */
export const time = valueOf(
  z
    .union([z.iso.date(), z.iso.datetime({ offset: true })], {
      error: 'It must be a date such as 2030-01-31 or 2030-01-31T12:00:00Z.',
    })
    .transform((value) => new Date(value)),
);

/** Reads how many items to show at most. */
export const count = valueOf(
  z
    .string()
    .regex(/^[1-9]\d{0,3}$/)
    .transform(Number),
  'It must be a number from 1 to 9999.',
);

/** Reads a number of hours, up to a year. */
export const hours = valueOf(
  z
    .string()
    .regex(/^\d{1,4}(\.\d+)?$/)
    .transform(Number)
    .pipe(z.number().max(longestOverlapHours)),
  `It must be a number of hours from 0 to ${longestOverlapHours}.`,
);

/** Reads the events that an endpoint is to get. */
export const eventList = valueOf(
  z
    .string()
    .transform((value) => [...new Set(value.split(',').map((type) => type.trim()))])
    .refine((types) => types.every((type) => subscriptions.includes(type)), {
      error: `It must be a list of ${subscriptions.join(', ')}.`,
    }),
);

/** Reads what a delivery has come to. */
export const deliveryStatus = valueOf(
  z.enum(deliveryStatuses, { error: `It must be ${deliveryStatuses.join(', ')}.` }),
);

/** Reads how long a list may be. */
export const listSize = valueOf(
  z
    .string()
    .regex(/^\d{1,5}$/)
    .transform(Number)
    .pipe(z.number().min(1).max(longestList)),
  `It must be a number from 1 to ${longestList}.`,
);

function isMatchList(fields: readonly ClientMatchField[]): boolean {
  const known = fields.every((field) => clientMatchFields.includes(field));
  return known && new Set(fields).size === fields.length;
}

/** What commander calls with an argument; it reports the error as wrong usage. */
function valueOf<T>(schema: z.ZodType<T, string>, fault?: string): (argument: string) => T {
  return (argument) => {
    const result = schema.safeParse(argument);
    if (result.success) return result.data;
    throw new InvalidArgumentError(fault ?? result.error.issues[0]?.message ?? '');
  };
}
