import { createHash } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { BSON } from 'mongodb';
import { DomainError } from '../http/errors/domain-error.js';
import { RequestDeadline } from '../http/server/request-deadline.js';
import { routeOptionsOf } from '../http/server/route-options.js';
import { isPlainObject, objectOf } from '../values/json.js';
import type { IdempotencyClaim } from './idempotency-claim.js';
import { idempotencyErrors, maxKeyLength, parseIdempotencyKey } from './idempotency-key.js';
import { IdempotencyService, isReplayable } from './idempotency.service.js';

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
      const { method, headers, caller } = request;
      const value = headers['idempotency-key'];
      if (value === undefined || method !== 'POST' || caller === undefined) return;
      const key = parseIdempotencyKey(String(value));
      if (key === null) {
        throw new DomainError(idempotencyErrors.idempotencyKeyMalformed, { limit: maxKeyLength });
      }
      if (isDryRun(request)) return;
      const namesBefore = new Set(Object.keys(reply.getHeaders()));
      const headersSoFar = () => headersSince(namesBefore, request, reply);
      const fingerprint = fingerprintOf(request);
      const beginning = this.idempotency.begin({ caller, key, fingerprint, headersSoFar });
      const { claim, response } = await this.deadline
        .within(request, beginning)
        .catch((error: unknown) => {
          // A claim that arrives after the 503 would reject retries until its lease expires.
          void beginning.then(
            ({ claim: late }) => late && this.release(late),
            () => {},
          );
          throw error;
        });
      if (claim !== undefined) request.caller = { ...caller, claim };
      if (response === undefined) return;
      await reply
        .status(response.status)
        .headers(response.headers)
        .header('idempotent-replayed', 'true')
        .send(response.body ?? undefined);
    });
    fastify.addHook('onSend', async (request, reply, payload) => {
      const claim = request.caller?.claim;
      if (claim === undefined) return payload;
      if (claim.response?.status === reply.statusCode) return claim.response.body ?? payload;
      await this.settle(claim, request, reply, payload);
      return payload;
    });
  }

  /** Stores a final response that no transaction has stored; otherwise lets a retry run. */
  private async settle(
    claim: IdempotencyClaim,
    request: FastifyRequest,
    { statusCode: status }: FastifyReply,
    payload: unknown,
  ): Promise<void> {
    const isText = typeof payload === 'string' || payload === null || payload === undefined;
    if (!isText || !isReplayable(status)) {
      // Not awaited: an unresponsive database must not delay the response.
      void this.release(claim);
      return;
    }
    const response = { status, headers: claim.headersSoFar(), body: payload ?? null };
    const storing = this.idempotency.completeUnchanged({ claim, response });
    await this.deadline.within(request, storing).catch((error: unknown) => this.warn(error));
  }

  private async release(claim: IdempotencyClaim): Promise<void> {
    await this.idempotency.release(claim).catch((error: unknown) => this.warn(error));
  }

  private warn(error: unknown): void {
    this.logger.warn(
      { err: error },
      'Could not store the idempotent response; a retry with the key gets 409 until the lease expires',
    );
  }
}

function isDryRun(request: FastifyRequest): boolean {
  return routeOptionsOf(request).hasDryRun === true && objectOf(request.body)['dryRun'] === true;
}

/** Payloads are compared as JSON values: neither white space nor the order of members counts. */
function fingerprintOf({ url, body }: FastifyRequest): string {
  const [path = ''] = url.split('?', 1);
  return createHash('sha256')
    .update(path)
    .update('\0')
    .update(BSON.serialize({ body: withSortedMembers(body) }))
    .digest('base64url');
}

function withSortedMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSortedMembers);
  if (!isPlainObject(value)) return value;
  const names = Object.keys(value).toSorted();
  return Object.fromEntries(names.map((name) => [name, withSortedMembers(value[name])]));
}

/** Returns only headers that this request set, and the language of its response. */
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
