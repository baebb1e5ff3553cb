import type { FastifyReply } from 'fastify';

/** How many names a response reports, and how much of each: names come from requests. */
export const maxNames = 20;
export const maxNameLength = 64;

/** A name of letters, with few digits at most, or a path of such names: no phone, no email, no key. */
const identifierPath =
  /^[A-Z_](?:[A-Z_-]{0,39}\d{0,2})(?:\.(?:\d{1,4}|[A-Z_][A-Z_-]{0,39}\d{0,2}))*$/i;

/** Whether a name that a request sent looks like one of a field, and not like a value. */
export function isIdentifier(name: string): boolean {
  return identifierPath.test(name);
}

/** The ignored names that a response reports and that look like names of fields; undefined where it reports none. */
export function loggedIgnoredFields(reply: FastifyReply): string[] | undefined {
  const names = reply.getHeader('x-ignored-fields');
  return typeof names === 'string' ? names.split(', ').filter(isIdentifier) : undefined;
}

/**
 * Names the parts of a request that had no effect (rules HTTP-20 and RES-7), beside those that were
 * named before; nothing for an empty list.
 * In a name, what is no printable ASCII, and the comma between names, becomes a question mark.
 */
export function setIgnoredFields(reply: FastifyReply, names: readonly string[]): void {
  if (names.length === 0) return;
  const earlier = reply.getHeader('x-ignored-fields');
  const value = ignoredFieldsValue(names, typeof earlier === 'string' ? earlier : undefined);
  reply.header('x-ignored-fields', value);
}

/** The value of the header for names, added to those of an earlier value. */
export function ignoredFieldsValue(names: readonly string[], earlier?: string): string {
  const shown = names.map((name) => name.replaceAll(/[^ -~]|,/gu, '?').slice(0, maxNameLength));
  const all = [...(earlier?.split(', ') ?? []), ...shown];
  return all.slice(0, maxNames).join(', ');
}
