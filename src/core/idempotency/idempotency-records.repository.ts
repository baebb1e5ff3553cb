import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Types } from 'mongoose';
import { duplicateKey } from '../database/connection/database-errors.js';
import { writeAll } from '../database/models/bulk-writes.js';
import { byReference } from '../database/models/by-reference.js';
import type { TenantModel } from '../database/models/tenant-model.js';
import type { CompressedResponse, IdempotencyClaim } from '../http/requests/idempotency-claim.js';
import type { IdempotencyRecordDocument } from './idempotency-record.schema.js';

type Claim = Pick<
  IdempotencyRecordDocument,
  'fingerprint' | 'valueFingerprint' | 'owner' | 'claimedAt' | 'expiresAt' | 'updatedAt'
>;

interface StoredCompletion {
  readonly claim: IdempotencyClaim;
  readonly response: CompressedResponse;
}

@Injectable()
export class IdempotencyRecordsRepository {
  constructor(
    @InjectModel('IdempotencyRecord')
    private readonly records: TenantModel<IdempotencyRecordDocument>,
  ) {}

  /** Returns false if the key has a record already. */
  async insert(record: IdempotencyRecordDocument): Promise<boolean> {
    try {
      await this.records.insertMany([record], { lean: true });
      return true;
    } catch (error) {
      if (duplicateKey(error) === undefined) throw error;
      return false;
    }
  }

  /** A failover can undo an unconfirmed response together with its change, so it must not be replayed. */
  async findConfirmed(
    organizationId: Types.ObjectId,
    apiKeyId: Types.ObjectId,
    key: string,
  ): Promise<IdempotencyRecordDocument | null> {
    const options = { readConcern: { level: 'majority' } } as const;
    return this.records.findOne({ organizationId, apiKeyId, key }, null, options).lean();
  }

  /** Returns how many claims still belonged to their owners and had no response. */
  async complete(
    completions: readonly StoredCompletion[],
    times: Pick<IdempotencyRecordDocument, 'expiresAt' | 'updatedAt'>,
  ): Promise<number> {
    const [first] = completions;
    if (first === undefined) return 0;
    const updates = completions.map(({ claim, response }) => {
      const update = { $set: { ...times, response: byReference(response) } };
      return { _id: claim.recordId, filter: ownedBy(claim), update };
    });
    return writeAll(this.records, first.claim.organizationId, updates);
  }

  /** Lets the next request with the key run, unless a transaction has stored a response. */
  async release(claim: IdempotencyClaim): Promise<void> {
    const { organizationId, recordId: _id } = claim;
    const $set = { claimedAt: new Date(0) };
    await this.records.updateOne({ organizationId, _id, ...ownedBy(claim) }, { $set });
  }

  /** Returns false when the record has changed since it was read. */
  async takeOver(found: IdempotencyRecordDocument, $set: Claim): Promise<boolean> {
    const { organizationId, _id, owner, response } = found;
    const isUnchanged = { owner, response: { $exists: response !== undefined } };
    const { matchedCount } = await this.records.updateOne(
      { organizationId, _id, ...isUnchanged },
      { $set, $unset: { response: '' } },
    );
    return matchedCount > 0;
  }
}

function ownedBy({ owner }: IdempotencyClaim) {
  return { owner, response: { $exists: false } };
}
