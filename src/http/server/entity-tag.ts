import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/**
 * Gives every whole answer to a read a strong entity tag, and answers 304 to who has it already
 * ("All endpoints" 9). The tag is made from what would be sent, so it changes whenever that does.
 */
export function addEntityTags(fastify: FastifyInstance): void {
  fastify.addHook('onSend', (request, reply, payload, done) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const isWhole = typeof payload === 'string' || Buffer.isBuffer(payload);
    if (!isRead || !isWhole || reply.statusCode !== 200) return done(null, payload);
    const tag = entityTag(payload, request);
    reply.header('etag', tag);
    if (!matches(request.headers['if-none-match'], tag)) return done(null, payload);
    reply.status(304).removeHeader('content-type').removeHeader('content-length');
    return done(null, null);
  });
}

/** Two compressions of one text are different answers, so what was accepted counts too. */
function entityTag(payload: string | Buffer, request: FastifyRequest): string {
  const hash = createHash('sha256').update(payload);
  const accepted = request.headers['accept-encoding'];
  if (accepted !== undefined) hash.update(`\0${accepted}`);
  return `"${hash.digest('base64url')}"`;
}

function matches(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  const known = new Set(header.split(',').map((part) => part.trim().replace(/^W\//, '')));
  return known.has('*') || known.has(tag);
}
