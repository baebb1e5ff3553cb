import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { acceptedEncoding, type Encoding } from './compression.js';

/**
 * Adds a strong entity tag to a read that is sent as a whole (rule HTTP-10).
 *
 * @returns the payload; null if the client has it already, with a 304
 */
export function addEntityTag(
  { method, headers }: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): unknown {
  const isRead = method === 'GET' || method === 'HEAD';
  const isWhole = typeof payload === 'string' || Buffer.isBuffer(payload);
  if (!isRead || !isWhole || reply.statusCode !== 200) return payload;
  // A response from the cache has its tag already.
  const known = reply.getHeader('etag');
  const tag = typeof known === 'string' ? known : entityTag(payload, acceptedEncoding(headers));
  reply.header('etag', tag);
  if (!matchesTag(headers['if-none-match'], tag)) return payload;
  reply.status(304);
  for (const name of ['content-type', 'content-length', 'content-encoding']) {
    reply.removeHeader(name);
  }
  // Fastify requires a body for a HEAD response and drops it before sending.
  return method === 'HEAD' ? payload : null;
}

/** Each content encoding is a different representation. */
export function entityTag(payload: string | Buffer, encoding: Encoding): string {
  const digest = createHash('sha256').update(payload).update(`\0${encoding}`).digest('base64url');
  return `"${digest}"`;
}

export function matchesTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  const clientTags = new Set(header.split(',').map((part) => part.trim().replace(/^W\//, '')));
  return clientTags.has('*') || clientTags.has(tag);
}
