import type { FastifyReply } from 'fastify';

/** What a response tells at most: names come from requests. */
const maxNames = 20;
const maxNameLength = 64;

/**
 * Names the parts of a request that had no effect (rule RES-7); nothing for an empty list.
 * In a name, what is no printable ASCII, and the comma between names, becomes a question mark.
 */
export function setIgnoredFields(reply: FastifyReply, names: readonly string[]): void {
  if (names.length === 0) return;
  const told = names
    .slice(0, maxNames)
    .map((name) => name.replaceAll(/[^ -~]|,/gu, '?').slice(0, maxNameLength));
  reply.header('x-ignored-fields', told.join(', '));
}
