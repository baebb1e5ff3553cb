import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { mebibyte } from '../../values/numbers.js';
import { DomainError } from '../errors/domain-error.js';
import { httpErrors } from '../errors/http-errors.js';

/** Most bytes that are held for the clients of one API key, over all their connections. */
const unsentLimit = 64 * mebibyte;

/** Headers of the response that is not sent. */
const replacedHeaders = ['etag', 'content-encoding', 'x-updated-as-of'];

type Payload = string | Buffer | Readable | null | undefined;

/**
 * Limits how much of the responses to an API key waits in memory because its clients do not read: further
 * requests get 429, and so does a read whose response would be too much (rule HTTP-22).
 */
@Injectable()
export class UnsentResponses {
  /** By API key, how many bytes each response holds now. */
  private readonly held = new Map<string, Map<FastifyReply, () => number>>();

  /** To be added once requests have a caller. */
  addTo(fastify: FastifyInstance): void {
    fastify.addHook('onRequest', ({ caller }, _reply, done) => {
      if (caller === undefined || this.heldBytes(caller.apiKeyId.toHexString()) < unsentLimit) {
        done();
      } else done(new DomainError(httpErrors.rateLimited));
    });
    fastify.addHook<Payload>('onSend', ({ method }, reply, payload, done) => {
      const hasRoom = this.hold(reply, () => bytesHeld(reply, payload));
      // A write was carried out, and its response says so.
      if (hasRoom || method !== 'GET' || reply.statusCode >= 400) return done();
      for (const name of replacedHeaders) void reply.removeHeader(name);
      if (isStream(payload)) payload.destroy();
      done(new DomainError(httpErrors.rateLimited));
    });
  }

  /**
   * Counts a response until it is sent, in place of what it held before.
   *
   * @returns whether there is room for it
   */
  hold(reply: FastifyReply, bytes: () => number): boolean {
    const key = reply.request.caller?.apiKeyId.toHexString();
    if (key === undefined || reply.raw.closed) return true;
    const responses = this.held.get(key) ?? new Map<FastifyReply, () => number>();
    const isNew = !responses.has(reply);
    this.held.set(key, responses.set(reply, bytes));
    if (isNew) {
      reply.raw.once('close', () => {
        responses.delete(reply);
        if (responses.size === 0) this.held.delete(key);
      });
    }
    return this.heldBytes(key) <= unsentLimit;
  }

  private heldBytes(key: string): number {
    let sum = 0;
    for (const bytes of this.held.get(key)?.values() ?? []) sum += bytes();
    return sum;
  }
}

/** Bytes in memory; a stream makes further ones once these are taken. */
function bytesHeld({ raw }: FastifyReply, payload: Payload): number {
  if (isStream(payload)) return raw.writableLength + payload.readableLength;
  return raw.writableLength + (raw.headersSent ? 0 : Buffer.byteLength(payload ?? ''));
}

/** Whether a body comes in parts; also by the class of another library. */
export function isStream(body: unknown): body is Readable {
  return typeof (body as Partial<Readable> | null | undefined)?.pipe === 'function';
}
