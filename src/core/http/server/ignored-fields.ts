import type { FastifyReply } from 'fastify';

/** Names come from requests, so their number and length are limited. */
export const maxNames = 20;
export const maxNameLength = 64;

/** Letters with few digits, possibly a path: no phone, no email, no key. */
const identifierPath =
  /^[A-Z_](?:[A-Z_-]{0,39}\d{0,2})(?:\.(?:\d{1,4}|[A-Z_][A-Z_-]{0,39}\d{0,2}))*$/i;

export function isIdentifier(name: string): boolean {
  return identifierPath.test(name);
}

export function loggedIgnoredFields(reply: FastifyReply): string[] | undefined {
  const names = reply.getHeader('x-ignored-fields');
  return typeof names === 'string' ? names.split(', ').filter(isIdentifier) : undefined;
}

/** Rules HTTP-20 and RES-7. */
export function setIgnoredFields(reply: FastifyReply, names: readonly string[]): void {
  if (names.length === 0) return;
  const earlier = reply.getHeader('x-ignored-fields');
  const value = ignoredFieldsValue(names, typeof earlier === 'string' ? earlier : undefined);
  reply.header('x-ignored-fields', value);
}

export function ignoredFieldsValue(names: readonly string[], earlier?: string): string {
  const shown = names.map((name) => name.replaceAll(/[^ -~]|,/gu, '?').slice(0, maxNameLength));
  const all = [...(earlier?.split(', ') ?? []), ...shown];
  return all.slice(0, maxNames).join(', ');
}
