import { promisify } from 'node:util';
import { constants, zstdCompress, zstdDecompress } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import { Binary } from 'mongodb';
import type { Types } from 'mongoose';
import { duplicateKey } from '../database/connection/database-errors.js';
import {
  InjectCollection,
  type TenantCollection,
} from '../database/documents/tenant-collection.js';
import type { IdempotencyClaim, StoredResponse } from './idempotency-claim.js';
import type { IdempotencyRecordDocument } from './idempotency-record.schema.js';

/** What a claim and a response belong to. */
type KeyOfRecord = Pick<IdempotencyRecordDocument, 'organizationId' | 'apiKeyId' | 'key'>;

/** A response and the claim that it ends. */
export interface Completion {
  readonly claim: IdempotencyClaim;
  readonly response: StoredResponse;
}

/** Longer bodies are compressed: that of a large lead, which it has twice, would not fit otherwise. */
const maxPlainLength = 32_768;
/** As far back as a document may be large, to find the second copy of a lead. */
const windowLog = 24;

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/** The queries on `idempotencyRecords`. */
@Injectable()
export class IdempotencyRecordsRepository {
  constructor(
    @InjectCollection('IdempotencyRecord')
    private readonly records: TenantCollection<IdempotencyRecordDocument>,
  ) {}

  /**
   * Stores a record.
   *
   * @returns false when there is one of the key
   */
  async insert(record: IdempotencyRecordDocument): Promise<boolean> {
    try {
      await this.records.insert(record);
      return true;
    } catch (error) {
      if (duplicateKey(error) === undefined) throw error;
      return false;
    }
  }

  /** The record of a key as no failover can undo it; null when there is none. */
  async find({ organizationId, apiKeyId, key }: KeyOfRecord) {
    // A response that is sent again must not be that of a change which is lost.
    const options = { readConcern: 'majority' } as const;
    return this.records.findOne(organizationId, { apiKeyId, key }, options);
  }

  /**
   * Gives a record that nobody runs any more, or that has expired, the request of a new one.
   *
   * @returns false when it is no longer as it was found
   */
  async takeOver(
    found: IdempotencyRecordDocument,
    { fingerprint, owner, claimedAt, expiresAt, updatedAt }: IdempotencyRecordDocument,
  ): Promise<boolean> {
    const { organizationId, _id, response } = found;
    const filter = { _id, owner: found.owner, response: { $exists: response !== undefined } };
    const $set = { fingerprint, owner, claimedAt, expiresAt, updatedAt };
    const update = { $set, $unset: { response: '' } } as const;
    return this.records.updateOne(organizationId, filter, update);
  }

  /**
   * Stores responses, in one command inside the open transaction if there is one.
   *
   * @returns how many of the claims still had their owners and no response
   */
  async complete(
    organizationId: Types.ObjectId,
    completions: readonly Completion[],
    times: Pick<IdempotencyRecordDocument, 'expiresAt' | 'updatedAt'>,
  ): Promise<number> {
    const updates = completions.map(async ({ claim, response }) => ({
      _id: claim.recordId,
      filter: ownedBy(claim),
      update: { $set: { ...times, response: { ...response, body: await packed(response.body) } } },
    }));
    return this.records.write(organizationId, await Promise.all(updates));
  }

  /** Lets the next request with the key run, unless there is a response by now. */
  async release(claim: IdempotencyClaim): Promise<void> {
    const $set = { claimedAt: new Date(0) };
    await this.records.updateOne(claim.organizationId, ownedBy(claim), { $set });
  }
}

function ownedBy({ recordId: _id, owner }: IdempotencyClaim) {
  return { _id, owner, response: { $exists: false } };
}

async function packed(body: string | null): Promise<string | Binary | null> {
  if (body === null || body.length <= maxPlainLength) return body;
  const params = {
    [constants.ZSTD_c_windowLog]: windowLog,
    [constants.ZSTD_c_enableLongDistanceMatching]: 1,
  };
  return new Binary(await compress(body, { params }));
}

/** The response of a record as it was stored. */
export async function unpacked(
  response: NonNullable<IdempotencyRecordDocument['response']>,
): Promise<StoredResponse> {
  const { status, headers, body } = response;
  if (body === null || typeof body === 'string') return { status, headers, body };
  const params = { [constants.ZSTD_d_windowLogMax]: windowLog };
  return { status, headers, body: (await decompress(body.buffer, { params })).toString() };
}
