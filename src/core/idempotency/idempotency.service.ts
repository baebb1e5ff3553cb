import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, zstdCompress, zstdDecompress } from 'node:zlib';
import { Inject, Injectable } from '@nestjs/common';
import { Binary } from 'mongodb';
import { Types } from 'mongoose';
import { Clock } from '../configuration/clock.js';
import { ENVIRONMENT, type Environment } from '../configuration/environment.js';
import { Transactions } from '../database/transactions/transactions.js';
import { DomainError } from '../errors/domain-error.js';
import type { RequestCaller } from '../http/requests/request-caller.js';
import { jsonContentType } from '../values/json.js';
import { hourMs, minuteMs } from '../values/time.js';
import type {
  IdempotencyClaim,
  CompressedResponse,
  ServiceResponse,
  StoredResponse,
} from '../http/requests/idempotency-claim.js';
import { idempotencyErrors } from '../errors/idempotency-errors.js';
import { IdempotencyRecordsRepository } from './idempotency-records.repository.js';
import type { IdempotencyRecordDocument } from './idempotency-record.schema.js';

/** A lease outlives its request by this time. */
const leaseMarginMs = 1_000;
/** MongoDB removes expired documents once per minute. */
const removalMs = minuteMs;
/** A record may change between its read and its takeover. */
const maxAttempts = 3;

export interface IdempotentRequest {
  readonly caller: RequestCaller;
  readonly key: string;
  readonly fingerprint: string;
  readonly valueFingerprint: string;
  readonly headersSoFar: IdempotencyClaim['headersSoFar'];
}

interface Completion {
  readonly claim: IdempotencyClaim;
  readonly response: StoredResponse;
}

/** A retry would get the same error, unlike 409, 413 or 429. */
const storedErrors: ReadonlySet<number> = new Set([400, 404, 422]);

export function isReplayable(status: number): boolean {
  return status < 300 || storedErrors.has(status);
}

export interface ClaimResult {
  readonly claim?: IdempotencyClaim;
  readonly response?: StoredResponse;
}

/**
 * Lets one request per key run, across all instances (rule HTTP-23). A claim's transaction also stores the response,
 * so that a takeover finds both or neither.
 */
@Injectable()
export class IdempotencyService {
  private readonly leaseMs: number;
  private readonly retentionMs: number;

  constructor(
    private readonly records: IdempotencyRecordsRepository,
    private readonly transactions: Transactions,
    private readonly clock: Clock,
    @Inject(ENVIRONMENT) { DATABASE_DEADLINE_MS, IDEMPOTENCY_RETENTION_HOURS }: Environment,
  ) {
    this.leaseMs = DATABASE_DEADLINE_MS + leaseMarginMs;
    this.retentionMs = IDEMPOTENCY_RETENTION_HOURS * hourMs;
  }

  /** @throws DomainError 409 while the first request with the key runs, 422 when that was another request */
  async begin(request: IdempotentRequest): Promise<ClaimResult> {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const record = this.newRecord(request);
      if (await this.records.insert(record)) return { claim: claimOf(record, request) };
      const { organizationId, apiKeyId, key } = record;
      const found = await this.records.findConfirmed(organizationId, apiKeyId, key);
      // The record was removed meanwhile, or a majority has not confirmed it yet.
      if (found === null) continue;
      if (found.expiresAt > record.createdAt) {
        if (!isSamePayload(found, request)) {
          throw new DomainError(idempotencyErrors.idempotencyKeyReused);
        }
        if (found.response) return { response: await unpack(found.response) };
        if (!this.isLeaseOver(found)) break;
      }
      if (await this.takeOver(found, record, request.caller.expiresAt)) {
        return { claim: claimOf({ ...record, _id: found._id }, request) };
      }
    }
    throw new DomainError(idempotencyErrors.idempotentRequestRunning);
  }

  /** Stores the final response of a claimed request inside the open transaction; see {@link completeAll}. */
  async complete(caller: RequestCaller, response: ServiceResponse, now: Date): Promise<void> {
    await this.completeAll([{ caller, response }], now);
  }

  /**
   * Stores final responses of claimed requests inside the open transaction.
   *
   * @throws DomainError 409 when another request has taken over one of the claims
   */
  async completeAll(
    requests: readonly { readonly caller: RequestCaller; readonly response: ServiceResponse }[],
    now: Date,
  ): Promise<void> {
    const completions = requests.flatMap(({ caller: { claim }, response }) => {
      if (claim === undefined) return [];
      // The response of an earlier attempt has not been committed.
      delete claim.response;
      return isReplayable(response.status)
        ? { claim, response: storedResponse(claim, response) }
        : [];
    });
    const [first] = completions;
    if (first === undefined) return;
    if ((await this.storeAll(completions, now)) < completions.length) {
      throw new DomainError(idempotencyErrors.idempotentRequestRunning);
    }
    for (const { claim, response } of completions) claim.response = response;
  }

  async completeUnchanged(completion: Completion): Promise<void> {
    await this.storeAll([completion], this.clock.now());
  }

  /** Lets the next request with the key run, unless a transaction has stored a response. */
  async release(claim: IdempotencyClaim): Promise<void> {
    await this.records.release(claim);
  }

  /** By this time, all stored and pending responses have been removed. */
  storedResponsesEndAt(): Date {
    return new Date(this.clock.now().getTime() + this.leaseMs + this.retentionMs + removalMs);
  }

  /** @returns how many claims still belonged to their owners and had no response */
  private async storeAll(completions: readonly Completion[], updatedAt: Date): Promise<number> {
    const expiresAt = new Date(updatedAt.getTime() + this.retentionMs);
    const packed = completions.map(async ({ claim, response }) => ({
      claim,
      response: await pack(response),
    }));
    return this.records.complete(await Promise.all(packed), { expiresAt, updatedAt });
  }

  /**
   * Takes over an expired or released record. The open transaction of a dead owner would block a single write, and
   * later the request itself, until the server ends it.
   *
   * @returns false when it has changed since it was read
   */
  private async takeOver(
    found: IdempotencyRecordDocument,
    {
      fingerprint,
      valueFingerprint,
      owner,
      claimedAt,
      expiresAt,
      updatedAt,
    }: IdempotencyRecordDocument,
    deadline: number | undefined,
  ): Promise<boolean> {
    const claim = { fingerprint, valueFingerprint, owner, claimedAt, expiresAt, updatedAt };
    const isReleased = found.claimedAt.getTime() === 0;
    const followsDeadProcess = found.response === undefined && !isReleased;
    return this.transactions.run(() => this.records.takeOver(found, claim), {
      expiresAt: deadline,
      followsDeadProcess,
    });
  }

  private newRecord(request: IdempotentRequest): IdempotencyRecordDocument {
    const { caller, key, fingerprint, valueFingerprint } = request;
    const now = this.clock.now();
    return {
      _id: new Types.ObjectId(),
      organizationId: caller.organizationId,
      apiKeyId: caller.apiKeyId,
      key,
      fingerprint,
      valueFingerprint: pairOf(fingerprint, valueFingerprint),
      owner: randomUUID(),
      claimedAt: now,
      expiresAt: new Date(now.getTime() + this.retentionMs),
      createdAt: now,
      updatedAt: now,
    };
  }

  /** A claim from the far future comes from a wrong clock. */
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

function storedResponse(
  { headersSoFar }: IdempotencyClaim,
  { status, headers, body }: ServiceResponse,
): StoredResponse {
  const type = body === undefined ? {} : { 'content-type': jsonContentType };
  return {
    status,
    headers: { ...headersSoFar(), ...type, ...headers },
    body: body === undefined ? null : JSON.stringify(body),
  };
}

/** A large response may contain its object twice. Uncompressed, it would not fit into a document. */
const maxPlainLength = 32_768;
/** 16 MiB, so that the window reaches the second copy of an object. */
const windowLog = 24;

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

async function pack({ body, ...response }: StoredResponse): Promise<CompressedResponse> {
  if (body === null || body.length <= maxPlainLength) return { ...response, body };
  const params = {
    [constants.ZSTD_c_windowLog]: windowLog,
    [constants.ZSTD_c_enableLongDistanceMatching]: 1,
  };
  return { ...response, body: new Binary(await compress(body, { params })) };
}

async function unpack({ body, ...response }: CompressedResponse): Promise<StoredResponse> {
  if (body === null || typeof body === 'string') return { ...response, body };
  const params = { [constants.ZSTD_d_windowLogMax]: windowLog };
  return { ...response, body: (await decompress(body.buffer, { params })).toString() };
}

/** Records of earlier versions have only the first fingerprint. */
function isSamePayload(
  found: IdempotencyRecordDocument,
  { fingerprint, valueFingerprint }: IdempotentRequest,
): boolean {
  const isSameValue = found.valueFingerprint === pairOf(found.fingerprint, valueFingerprint);
  return found.fingerprint === fingerprint || isSameValue;
}

/** An instance of an earlier version that takes over a record replaces only the first. */
function pairOf(fingerprint: string, valueFingerprint: string): string {
  return `${fingerprint} ${valueFingerprint}`;
}
