import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { mebibyte } from '../../values/numbers.js';
import { DomainError } from '../errors/domain-error.js';
import { httpErrors } from '../errors/http-errors.js';
import { isStream } from '../lists/response-streams.js';

/** Most bytes that are held for the clients of one API key, over all their connections. */
const unsentLimit = 64 * mebibyte;

/** Headers of the response that is not sent. */
const replacedHeaders = ['etag', 'content-encoding', 'x-updated-as-of'];

interface Sending {
  readonly reply: FastifyReply;
  readonly payload: Payload;
}

type Payload = string | Buffer | Readable | null | undefined;

/**
 * Limits how much of the responses to an API key waits in memory because its clients do not read: further
 * requests get 429, and so does a read whose response would be too much (rule HTTP-22).
 */
@Injectable()
export class UnsentResponses {
  private readonly sending = new Map<string, Set<Sending>>();

  /** To be added once requests have a caller. */
  addTo(fastify: FastifyInstance): void {
    fastify.addHook('onRequest', ({ caller }, _reply, done) => {
      if (caller === undefined || this.unsentBytes(caller.apiKeyId.toHexString()) < unsentLimit) {
        done();
      } else done(new DomainError(httpErrors.rateLimited));
    });
    fastify.addHook<Payload>('onSend', ({ caller, method }, reply, payload, done) => {
      if (caller === undefined) return done();
      const key = caller.apiKeyId.toHexString();
      // A write was carried out, and its response says so.
      const canRefuse = method === 'GET' && reply.statusCode < 400;
      if (canRefuse && this.unsentBytes(key) + bytesIn(payload) > unsentLimit) {
        for (const name of replacedHeaders) void reply.removeHeader(name);
        return done(new DomainError(httpErrors.rateLimited));
      }
      this.track(key, { reply, payload });
      done();
    });
  }

  private track(key: string, sending: Sending): void {
    const others = this.sending.get(key) ?? new Set();
    this.sending.set(key, others.add(sending));
    sending.reply.raw.once('close', () => {
      others.delete(sending);
      if (others.size === 0) this.sending.delete(key);
    });
  }

  private unsentBytes(key: string): number {
    let bytes = 0;
    for (const { reply, payload } of this.sending.get(key) ?? []) {
      const { headersSent, writableLength } = reply.raw;
      bytes += writableLength + (headersSent && !isStream(payload) ? 0 : bytesIn(payload));
    }
    return bytes;
  }
}

/** Bytes in memory; a stream makes further ones once these are taken. */
function bytesIn(payload: Payload): number {
  if (typeof payload === 'string') return Buffer.byteLength(payload);
  if (isStream(payload)) return payload.readableLength;
  return payload?.length ?? 0;
}
