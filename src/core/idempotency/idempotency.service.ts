import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import type { RequestCaller } from '../http/request-caller.js';
import { Clock } from '../configuration/clock.js';
import { ENVIRONMENT, type Environment } from '../configuration/environment.js';
import { DomainError } from '../http/errors/domain-error.js';
import { hourMs, minuteMs } from '../values/durations.js';
import {
  type Answer,
  type IdempotencyClaim,
  type StoredResponse,
  storedResponse,
} from './idempotency-claim.js';
import { idempotencyErrors } from './idempotency-key.js';
import type { IdempotencyRecordDocument } from './idempotency-record.schema.js';
import {
  type Completion,
  IdempotencyRecordsRepository,
  unpacked,
} from './idempotency-records.repository.js';

/** How much longer a lease is than a request may run. */
const leaseMarginMs = 2_000;
/** How often the database removes what has expired. */
const removalMs = minuteMs;
/** How often a record may change under the eyes of a request that wants it. */
const maxAttempts = 3;

/** A request that wants to run under a key. */
export interface IdempotentRequest {
  readonly caller: RequestCaller;
  readonly key: string;
  readonly fingerprint: string;
  readonly headersSoFar: IdempotencyClaim['headersSoFar'];
}

/** Refusals that a repetition would get again. */
const storedErrors: ReadonlySet<number> = new Set([400, 404, 422]);

/** Whether a response with this status is stored for its key. */
export function isFinal(status: number): boolean {
  return status < 300 || storedErrors.has(status);
}

/** What was found of a key: the right to run, or the response of the one that ran. */
export type Beginning =
  | { readonly claim: IdempotencyClaim; readonly response?: never }
  | { readonly claim?: never; readonly response: StoredResponse };

/**
 * Lets one request run for each `Idempotency-Key` of an API key, over all instances (rule HTTP-23). Its
 * response is stored in the transaction of its change, and only while the request still has its
 * claim: whoever takes over finds either the change with its response, or neither.
 */
@Injectable()
export class IdempotencyService {
  private readonly leaseMs: number;
  /** How long a key stands for its first request. */
  private readonly keptMs: number;

  constructor(
    private readonly records: IdempotencyRecordsRepository,
    private readonly clock: Clock,
    @Inject(ENVIRONMENT) { DATABASE_DEADLINE_MS, IDEMPOTENCY_RETENTION_HOURS }: Environment,
  ) {
    this.leaseMs = DATABASE_DEADLINE_MS + leaseMarginMs;
    this.keptMs = IDEMPOTENCY_RETENTION_HOURS * hourMs;
  }

  /**
   * Claims a key for a request, or finds what the first one with it was answered.
   *
   * @throws DomainError 409 while that one runs, 422 when it was another request
   */
  async begin(request: IdempotentRequest): Promise<Beginning> {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const record = this.newRecord(request);
      if (await this.records.insert(record)) return { claim: claimOf(record, request) };
      const found = await this.records.find(record);
      // Removed since, or not there for certain.
      if (found === null) continue;
      if (found.expiresAt > record.createdAt) {
        if (found.fingerprint !== record.fingerprint) {
          throw new DomainError(idempotencyErrors.keyReused);
        }
        if (found.response) return { response: await unpacked(found.response) };
        if (!this.isLeaseOver(found)) break;
      }
      if (await this.records.takeOver(found, record)) {
        return { claim: claimOf({ ...record, _id: found._id }, request) };
      }
    }
    throw new DomainError(idempotencyErrors.requestRunning);
  }

  /**
   * Stores the answers to those requests of a transaction that have claims, inside it; of a refusal only
   * one that a repetition would get again.
   *
   * @throws DomainError 409 when one of the claims was taken over
   */
  async completeAll(
    answered: readonly { readonly caller: RequestCaller; readonly answer: Answer }[],
    now: Date,
  ): Promise<void> {
    const completions = answered.flatMap(({ caller: { claim }, answer }) => {
      if (claim === undefined) return [];
      // What an attempt before this one stored has not been committed.
      delete claim.response;
      return isFinal(answer.status) ? { claim, response: storedResponse(claim, answer) } : [];
    });
    const [first] = completions;
    if (first === undefined) return;
    if ((await this.store(first.claim.organizationId, completions, now)) < completions.length) {
      throw new DomainError(idempotencyErrors.requestRunning);
    }
    for (const { claim, response } of completions) claim.response = response;
  }

  /** Stores the response to a request that changed nothing. */
  async completeUnchanged(completion: Completion): Promise<void> {
    await this.store(completion.claim.organizationId, [completion]);
  }

  /** When every response is gone that is stored by now, or of a request that is running. */
  storedResponsesEndAt(): Date {
    return new Date(this.clock.now().getTime() + this.leaseMs + this.keptMs + removalMs);
  }

  /** Lets the next request with the key run, unless a transaction has stored a response. */
  async release(claim: IdempotencyClaim): Promise<void> {
    await this.records.release(claim);
  }

  private store(
    organizationId: Types.ObjectId,
    completions: readonly Completion[],
    updatedAt = this.clock.now(),
  ) {
    const expiresAt = new Date(updatedAt.getTime() + this.keptMs);
    const times = { expiresAt, updatedAt };
    return this.records.complete(organizationId, completions, times);
  }

  private newRecord({ caller, key, fingerprint }: IdempotentRequest): IdempotencyRecordDocument {
    const now = this.clock.now();
    return {
      _id: new Types.ObjectId(),
      organizationId: caller.organizationId,
      apiKeyId: caller.apiKeyId,
      key,
      fingerprint,
      owner: randomUUID(),
      claimedAt: now,
      expiresAt: new Date(now.getTime() + this.keptMs),
      createdAt: now,
      updatedAt: now,
    };
  }

  /** A time that lies far ahead is that of a clock that was wrong. */
  private isLeaseOver({ claimedAt }: IdempotencyRecordDocument): boolean {
    return Math.abs(this.clock.now().getTime() - claimedAt.getTime()) > this.leaseMs;
  }
}

function claimOf(
  { _id: recordId, organizationId, owner }: IdempotencyRecordDocument,
  { headersSoFar }: IdempotentRequest,
): IdempotencyClaim {
  return { organizationId, recordId, owner, headersSoFar };
}
