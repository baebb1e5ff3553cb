import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { mebibyte } from '../../values/numbers.js';
import { DomainError } from '../errors/domain-error.js';
import { httpErrors } from '../errors/http-errors.js';

/** The limit applies to all connections of an API key together. */
const maxUnsentBytes = 64 * mebibyte;

/** These headers describe the response that the 429 replaces. */
const replacedHeaders = ['etag', 'content-encoding', 'x-updated-as-of'];

type Payload = string | Buffer | Readable | null | undefined;

/** Beyond the limit of unread responses, requests and large reads get 429 (rule HTTP-22). */
@Injectable()
export class UnsentResponseLimiter {
  private readonly held = new Map<string, Map<FastifyReply, () => number>>();

  addTo(fastify: FastifyInstance): void {
    fastify.addHook('onRequest', ({ caller }, _reply, done) => {
      if (caller === undefined || this.heldBytes(caller.apiKeyId.toHexString()) < maxUnsentBytes) {
        done();
      } else done(new DomainError(httpErrors.rateLimited));
    });
    fastify.addHook<Payload>('onSend', ({ method }, reply, payload, done) => {
      const hasRoom = this.tryHold(reply, () => unsentBytes(reply, payload));
      // The write has been executed, so its response must report it.
      if (hasRoom || method !== 'GET' || reply.statusCode >= 400) return done();
      for (const name of replacedHeaders) void reply.removeHeader(name);
      if (isStream(payload)) payload.destroy();
      done(new DomainError(httpErrors.rateLimited));
    });
  }

  /** A second call for a response replaces the first one. */
  tryHold(reply: FastifyReply, bytes: () => number): boolean {
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
    return this.heldBytes(key) <= maxUnsentBytes;
  }

  private heldBytes(key: string): number {
    let sum = 0;
    for (const bytes of this.held.get(key)?.values() ?? []) sum += bytes();
    return sum;
  }
}

/** Bytes that a stream will produce later do not count. */
function unsentBytes({ raw }: FastifyReply, payload: Payload): number {
  if (isStream(payload)) return raw.writableLength + payload.readableLength;
  return raw.writableLength + (raw.headersSent ? 0 : Buffer.byteLength(payload ?? ''));
}

export function isStream(body: unknown): body is Readable {
  return typeof (body as Partial<Readable> | null | undefined)?.pipe === 'function';
}
