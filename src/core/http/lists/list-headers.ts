import type { FastifyReply } from 'fastify';
import type { ListEnd, PartOf } from './list-reading.js';
import type { PageOf } from './pages.js';

/** Says in a response's headers how its list goes on (rules HTTP-11 and COMP-16). */
export function setListHeaders(reply: FastifyReply, { next, asOf }: ListEnd): void {
  if (next !== null) reply.header('x-next-cursor', next);
  if (asOf !== null) reply.header('x-updated-as-of', asOf.toISOString());
}

/** The body of a page; its headers are set. */
export function pageBody<T>(reply: FastifyReply, { asOf, data, pagination }: PartOf<T>): PageOf<T> {
  setListHeaders(reply, { next: pagination.next ?? null, asOf });
  return { data, pagination };
}
