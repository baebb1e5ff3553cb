import { z } from 'zod';
import { parsePasswordHash } from '../values/password-hash.js';

export function integerSetting(minimum: number, maximum: number) {
  const range = `must be from ${minimum} to ${maximum}`;
  return z
    .string()
    .regex(/^\d+$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number(range).min(minimum, range).max(maximum, range));
}

export function enumSetting<const Values extends readonly string[]>(values: Values) {
  return z.enum(values, `must be one of ${values.join(', ')}`);
}

export const booleanSetting = enumSetting(['true', 'false']).transform((value) => value === 'true');

const serverDatabases: ReadonlySet<string> = new Set(['admin', 'config', 'local']);

/** The driver would silently use `test` if no database is named. */
export const mongodbUriSetting = z.string().transform((value, context): string => {
  // The pattern accepts a slash in the password: the driver reports that it must be escaped.
  const address = /^mongodb(?:\+srv)?:\/\/(?:.*@)?[^/]+(?:\/(.*))?$/s.exec(
    value.replace(/\?.*$/s, ''),
  );
  const name = address?.[1] ?? '';
  if (address === null) context.addIssue('must start with mongodb:// or mongodb+srv://');
  else if (name === '') context.addIssue('must name the database, as in mongodb://host:27017/name');
  else if (serverDatabases.has(name)) {
    context.addIssue(`must not name ${name}, a system database: use authSource for that`);
  } else return value;
  return z.NEVER;
});

/** @param parse returns null for invalid input */
function parsedSetting<T>(parse: (text: string) => T | null, message: string) {
  return z.string().transform((text, context): T => {
    const value = parse(text);
    if (value !== null) return value;
    context.addIssue(message);
    return z.NEVER;
  });
}

const listItems = (text: string) => text.split(',').map((part) => part.trim());

export const encryptionKeysSetting = parsedSetting((text) => {
  const keys = listItems(text);
  const areKeys = keys.every((key) => /^[\w+/-]{43}=?$/.test(key));
  return areKeys ? keys.map((key) => Buffer.from(key, 'base64')) : null;
}, 'must be keys in base64, 32 bytes each, separated by commas');

export const hostNamesSetting = parsedSetting((text) => {
  const names = listItems(text.toLowerCase());
  return names.every((name) => /^[a-z\d]([a-z\d.-]*[a-z\d])?$/.test(name)) ? names : null;
}, 'must be host names separated by commas, without port');

export const passwordHashSetting = parsedSetting(
  parsePasswordHash,
  'must be a line that `npm run cli -- console password` prints',
);

const addressOrRange = z.union([
  z.ipv4(),
  z.ipv6(),
  z.union([z.cidrv4(), z.cidrv6()]).refine((range) => !range.endsWith('/0')),
]);

/** The three forms are those of Fastify's option `trustProxy`. */
export const trustProxySetting = parsedSetting((text): boolean | number | string[] | null => {
  if (text === 'true' || text === 'false') return text === 'true';
  if (/^\d{1,2}$/.test(text)) return Number(text);
  const addresses = listItems(text);
  return addresses.every((address) => addressOrRange.safeParse(address).success) ? addresses : null;
}, 'must be true, false, a number of hops, or addresses separated by commas');

const types: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  object: 'an object',
  string: 'a string',
};

/** Returns the message for a zod issue that has none. */
export function schemaMessage(issue: z.core.$ZodRawIssue): string {
  if (issue.code === 'unrecognized_keys') return `has unknown fields: ${issue.keys.join(', ')}`;
  if (issue.code !== 'invalid_type') return 'is not valid';
  return issue.input === undefined
    ? 'is required'
    : `must be ${types[issue.expected] ?? `a ${issue.expected}`}`;
}
