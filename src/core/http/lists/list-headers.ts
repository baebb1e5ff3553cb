import type { FastifyReply } from 'fastify';
import type { ListEnd, PartOf } from './list-reading.js';
import { wholeListText, type WriteItem } from './list-text.js';

/** Says in a response's headers how its list goes on (rules HTTP-11 and COMP-16). */
export function setListHeaders(reply: FastifyReply, { next, asOf }: ListEnd): void {
  if (next !== null) reply.header('x-next-cursor', next);
  if (asOf !== null) reply.header('x-updated-as-of', asOf.toISOString());
}

/** The body of a page; its headers are set. */
export function pageBody(
  reply: FastifyReply,
  { asOf, data, pagination }: PartOf<WriteItem>,
): Buffer {
  const body = wholeListText(data, { pagination });
  // Only now: the response to a failure must not say how the list goes on.
  setListHeaders(reply, { next: pagination.next ?? null, asOf });
  return body;
}
