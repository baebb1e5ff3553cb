import { isIP } from 'node:net';
import { z } from 'zod';
import { parsePasswordHash, type PasswordHash } from '../values/password-hash.js';

export function integer(minimum: number, maximum: number) {
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
export const databaseAddress = z.string().transform((value, context): string => {
  // The driver reports an unescaped slash in the password.
  const address = /^mongodb(?:\+srv)?:\/\/(?:.*@)?[^/]+(?:\/(.*))?$/s.exec(
    value.replace(/\?.*$/s, ''),
  );
  const name = address?.[1] ?? '';
  if (address === null) context.addIssue('must start with mongodb:// or mongodb+srv://');
  else if (name === '') context.addIssue('must name the database, as in mongodb://host:27017/name');
  else if (serverDatabases.has(name)) {
    context.addIssue(`must not name ${name}, which is the server's own: authSource takes that`);
  } else return value;
  return z.NEVER;
});

export const encryptionKeysSetting = z.string().transform((value, context): Buffer[] => {
  const texts = value.split(',').map((part) => part.trim());
  const keys = texts.map((text) => Buffer.from(text, 'base64'));
  const isKey = (text: string, index: number) =>
    /^[\w+/-]{43}=?$/.test(text) && keys[index]?.length === 32;
  if (texts.every(isKey)) return keys;
  context.addIssue('must be keys in base64, 32 bytes each, separated by commas');
  return z.NEVER;
});

export const hostNames = z.string().transform((value, context): string[] => {
  const names = value.split(',').map((name) => name.trim().toLowerCase());
  if (names.every((name) => /^[a-z\d]([a-z\d.-]*[a-z\d])?$/.test(name))) return names;
  context.addIssue('must be host names separated by commas, without port');
  return z.NEVER;
});

export const passwordHashSetting = z.string().transform((value, context): PasswordHash => {
  const hash = parsePasswordHash(value);
  if (hash !== null) return hash;
  context.addIssue('must be a line that `npm run cli -- console password` prints');
  return z.NEVER;
});

/** Fastify's `trustProxy`. */
export const trustProxySetting = z
  .string()
  .transform((value, context): boolean | number | string[] => {
    if (value === 'true' || value === 'false') return value === 'true';
    if (/^\d{1,2}$/.test(value)) return Number(value);
    const addresses = value.split(',').map((part) => part.trim());
    if (addresses.every(isAddressOrRange)) return addresses;
    context.addIssue('must be true, false, a number of hops, or addresses separated by commas');
    return z.NEVER;
  });

function isAddressOrRange(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  if (prefix === undefined) return true;
  const longest = version === 4 ? 32 : 128;
  return /^\d{1,3}$/.test(prefix) && Number(prefix) >= 1 && Number(prefix) <= longest;
}

const types: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  object: 'an object',
  string: 'a text',
};

/** The message of a zod issue without its own message. */
export function schemaMessage(issue: z.core.$ZodRawIssue): string {
  if (issue.code === 'unrecognized_keys') return `has unknown fields: ${issue.keys.join(', ')}`;
  if (issue.code !== 'invalid_type') return 'is not valid';
  return issue.input === undefined
    ? 'is required'
    : `must be ${types[issue.expected] ?? `a ${issue.expected}`}`;
}
