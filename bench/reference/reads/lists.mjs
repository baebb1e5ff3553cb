import { createHash } from 'node:crypto';

const commitLagMs = 120_000;
const json = 'application/json; charset=utf-8';

/** Which part of a list a query asks for. */
export function pageOf({ page = '1', limit = '10' }) {
  return { skip: (Number(page) - 1) * Number(limit), limit: Number(limit) };
}

export function paginationOf(count, limit, total) {
  return { count, limit, pages: Math.ceil(total / limit), total };
}

/** Sends a list with its entity tag, or 304 to a client that has it. */
export function sendTagged(request, reply, body) {
  const accepted = request.headers['accept-encoding'] ?? '';
  const tag = `"${createHash('sha256').update(body).update(accepted).digest('base64url')}"`;
  setUpdatedAsOf(reply).header('etag', tag);
  if (request.headers['if-none-match'] === tag) return reply.code(304).send();
  return reply.type(json).send(body);
}

export function setUpdatedAsOf(reply) {
  return reply.header('x-updated-as-of', new Date(Date.now() - commitLagMs).toISOString());
}
