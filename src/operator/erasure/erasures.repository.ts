import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { duplicateKey } from '../../core/database/connection/database-errors.js';
import {
  type CollectionAcrossTenants,
  InjectAcrossTenants,
} from '../../core/database/documents/across-tenants.js';
import type { ErasureCounts, ErasureDocument } from './erasure.schema.js';

/** The ledger of erasures. */
@Injectable()
export class ErasuresRepository {
  constructor(
    @InjectAcrossTenants('Erasure')
    private readonly erasures: CollectionAcrossTenants<ErasureDocument>,
  ) {}

  /** @returns false when there is one already that is about one of its leads */
  async insert(erasure: ErasureDocument): Promise<boolean> {
    try {
      await this.erasures.insert(erasure);
      return true;
    } catch (error) {
      if (duplicateKey(error) === undefined) throw error;
      return false;
    }
  }

  /** The erasures that are about one of the leads. */
  async ofLeads(
    organizationId: Types.ObjectId,
    leadIds: readonly Types.ObjectId[],
  ): Promise<ErasureDocument[]> {
    if (leadIds.length === 0) return [];
    return this.erasures.find(organizationId, { leadIds: { $in: leadIds } });
  }

  /** The erasures of an organization that were cut short. */
  async unfinished(organizationId: Types.ObjectId): Promise<ErasureDocument[]> {
    return this.erasures.find(organizationId, { completedAt: null });
  }

  /** All erasures of all organizations, oldest first. */
  async all(): Promise<ErasureDocument[]> {
    return this.erasures.acrossTenants.find<ErasureDocument>({}).sort({ _id: 1 }).toArray();
  }

  /** Adds to what an erasure has done, in the transaction that does it. */
  async count(
    { organizationId, _id }: Pick<ErasureDocument, 'organizationId' | '_id'>,
    counts: Partial<ErasureCounts>,
  ): Promise<void> {
    const entries = Object.entries(counts).map(([kind, count]) => [`counts.${kind}`, count]);
    const $inc = Object.fromEntries(entries) as { counts?: number };
    await this.erasures.updateOne(organizationId, { _id }, { $inc });
  }

  async complete({ organizationId, _id }: ErasureDocument, completedAt: Date): Promise<void> {
    const $set = { completedAt, updatedAt: completedAt };
    await this.erasures.updateOne(organizationId, { _id }, { $set });
  }
}
