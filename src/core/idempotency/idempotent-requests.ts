import { createHash } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { BSON } from 'mongodb';
import type { RequestCaller } from '../http/request-caller.js';
import { DomainError } from '../http/errors/domain-error.js';
import { RequestDeadline } from '../http/server/request-deadline.js';
import type { IdempotencyClaim, StoredResponse } from './idempotency-claim.js';
import { idempotencyErrors, maxKeyLength, parseIdempotencyKey } from './idempotency-key.js';
import { IdempotencyService, isFinal } from './idempotency.service.js';

interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** Replays the response of the first request with an `Idempotency-Key` (rule HTTP-23). */
@Injectable()
export class IdempotentRequests {
  private readonly logger = new Logger(IdempotentRequests.name);

  constructor(
    private readonly idempotency: IdempotencyService,
    private readonly deadline: RequestDeadline,
  ) {}

  addTo(fastify: FastifyInstance): void {
    fastify.addHook('preHandler', async (request, reply) => {
      const value = request.headers['idempotency-key'];
      const { caller } = request;
      if (value === undefined || request.method !== 'POST' || caller === undefined) return;
      const response = await this.begin({ request, reply, caller }, String(value));
      if (response === undefined) return;
      const { status, headers, body } = response;
      await reply
        .status(status)
        .headers(headers)
        .header('idempotent-replayed', 'true')
        .send(body ?? undefined);
    });
    fastify.addHook('onSend', (request, reply, payload, done) => {
      const claim = request.caller?.claim;
      if (claim === undefined) return done(null, payload);
      void this.send(claim, { request, reply }, payload, done);
    });
  }

  private async begin(
    { request, reply, caller }: Exchange & { readonly caller: RequestCaller },
    value: string,
  ): Promise<StoredResponse | undefined> {
    const key = parseIdempotencyKey(value);
    if (key === null) {
      throw new DomainError(idempotencyErrors.keyMalformed, { limit: maxKeyLength });
    }
    const namesBefore = new Set(Object.keys(reply.getHeaders()));
    const beginning = this.idempotency.begin({
      caller,
      key,
      fingerprint: fingerprintOf(request),
      headersSoFar: () => headersSince(namesBefore, request, reply),
    });
    const { claim, response } = await this.deadline
      .within(request, beginning)
      .catch((error: unknown) => {
        // A claim that comes after the 503 would refuse retries until its lease ends.
        void beginning.then(
          ({ claim: late }) => late && this.release(late),
          () => {},
        );
        throw error;
      });
    if (claim !== undefined) request.caller = { ...caller, claim };
    return response;
  }

  /** Stores a final response, unless its transaction did; otherwise lets a retry run. */
  private async send(
    claim: IdempotencyClaim,
    { request, reply }: Exchange,
    payload: unknown,
    done: (error: null, payload: unknown) => void,
  ): Promise<void> {
    const { statusCode: status } = reply;
    if (claim.response?.status === status) {
      done(null, claim.response.body ?? payload);
      return;
    }
    try {
      const isText = typeof payload === 'string' || payload === null || payload === undefined;
      if (isText && isFinal(status)) {
        const response = { status, headers: claim.headersSoFar(), body: payload ?? null };
        await this.deadline.within(
          request,
          this.idempotency.completeUnchanged({ claim, response }),
        );
      } else {
        // Not awaited: a database in trouble must not hold up the response.
        void this.release(claim);
      }
    } catch (error) {
      this.warn(error);
    }
    done(null, payload);
  }

  private async release(claim: IdempotencyClaim): Promise<void> {
    try {
      await this.idempotency.release(claim);
    } catch (error) {
      this.warn(error);
    }
  }

  private warn(error: unknown): void {
    this.logger.warn(
      { err: error },
      'Could not store the idempotent response; a retry with the key gets 409 until the lease ends',
    );
  }
}

/** Hashes the path and the parsed body: white space does not count. */
function fingerprintOf({ url, body }: FastifyRequest): string {
  const [path = ''] = url.split('?', 1);
  return createHash('sha256')
    .update(path)
    .update('\0')
    .update(BSON.serialize({ body }))
    .digest('base64url');
}

/** The headers that this request set, and the language of its response. */
function headersSince(
  before: ReadonlySet<string>,
  { language }: FastifyRequest,
  reply: FastifyReply,
): Record<string, string> {
  const set = Object.entries(reply.getHeaders()).filter(
    ([name]) => !before.has(name) && name !== 'connection',
  );
  const own = set.map(([name, value]) => [name, String(value)] as const);
  return { 'content-language': language, ...Object.fromEntries(own) };
}
