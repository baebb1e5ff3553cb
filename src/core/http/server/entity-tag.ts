import { createHash, hash } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/**
 * Gives every response to a read that is sent as a whole a strong entity tag, and responds with 304
 * to a client that has it already (rule HTTP-10). The tag is computed from what would be sent.
 */
export function addEntityTags(fastify: FastifyInstance): void {
  fastify.addHook('onSend', (request, reply, payload, done) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const isWhole = typeof payload === 'string' || Buffer.isBuffer(payload);
    if (!isRead || !isWhole || reply.statusCode !== 200) return done(null, payload);
    // One that was finished before has its tag.
    if (reply.hasHeader('etag')) return done(null, payload);
    const tag = entityTag(payload, request);
    reply.header('etag', tag);
    if (!matchesTag(request.headers['if-none-match'], tag)) return done(null, payload);
    reply.status(304).removeHeader('content-type').removeHeader('content-length');
    // The framework drops the body of a HEAD itself, and cannot do without one.
    return done(null, request.method === 'HEAD' ? payload : null);
  });
}

/** Two compressions of one text are different responses, so `Accept-Encoding` counts too. */
function entityTag(payload: string | Buffer, request: FastifyRequest): string {
  const accepted = request.headers['accept-encoding'];
  if (accepted === undefined) return tagOf(payload);
  const digest = createHash('sha256').update(payload).update(`\0${accepted}`).digest('base64url');
  return `"${digest}"`;
}

/** The tag of a body that is not compressed. */
function tagOf(payload: string | Buffer): string {
  return `"${hash('sha256', payload, 'base64url')}"`;
}

/** Whether `If-None-Match` says that the client has the response with this tag. */
function matchesTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  if (header === tag) return true;
  const clientTags = new Set(header.split(',').map((part) => part.trim().replace(/^W\//, '')));
  return clientTags.has('*') || clientTags.has(tag);
}
