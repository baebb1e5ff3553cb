import type { FastifyReply } from 'fastify';

/** How many names a response reports, and how much of each: names come from requests. */
export const maxNames = 20;
export const maxNameLength = 64;

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
