import type { FastifyReply } from 'fastify';
import type { ListEnd, PartOf } from './list-reading.js';
import { wholeListText } from './list-text.js';

/** Says in a response's headers how its list goes on (rules HTTP-11 and COMP-16). */
export function setListHeaders(reply: FastifyReply, { next, asOf }: ListEnd): void {
  if (next !== null) reply.header('x-next-cursor', next);
  if (asOf !== null) reply.header('x-updated-as-of', asOf.toISOString());
}

/** The body of a page of items that are JSON already; its headers are set. */
export function pageBody(reply: FastifyReply, { asOf, data, pagination }: PartOf<string>): Buffer {
  setListHeaders(reply, { next: pagination.next ?? null, asOf });
  return Buffer.from(wholeListText(data, { pagination }));
}
