import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { Clock } from '../../core/configuration/clock.js';
import { duplicateKey } from '../../core/database/connection/database-errors.js';
import {
  type CollectionAcrossTenants,
  InjectAcrossTenants,
} from '../../core/database/documents/across-tenants.js';
import { type ErasureCounts, type ErasureDocument, noCounts } from './erasure.schema.js';

@Injectable()
export class ErasuresRepository {
  constructor(
    @InjectAcrossTenants('Erasure')
    private readonly erasures: CollectionAcrossTenants<ErasureDocument>,
    private readonly clock: Clock,
  ) {}

  /** Enters the leads that are not listed yet, and returns all erasures about the leads. */
  async record(
    organizationId: Types.ObjectId,
    leadIds: readonly Types.ObjectId[],
  ): Promise<ErasureDocument[]> {
    for (;;) {
      const entered = await this.ofLeads(organizationId, leadIds);
      const missing = missingFrom(entered, leadIds);
      if (missing.length === 0) return entered;
      try {
        await this.erasures.insert(this.newErasure(organizationId, missing));
      } catch (error) {
        // Another process may enter one of them at the same moment.
        if (duplicateKey(error) === undefined) throw error;
      }
    }
  }

  newErasure(organizationId: Types.ObjectId, leadIds: readonly Types.ObjectId[]): ErasureDocument {
    const now = this.clock.now();
    return {
      _id: new Types.ObjectId(),
      organizationId,
      leadIds: [...leadIds],
      completedAt: null,
      counts: { ...noCounts },
      createdAt: now,
      updatedAt: now,
    };
  }

  async unrecordedIds(
    organizationId: Types.ObjectId,
    leadIds: readonly Types.ObjectId[],
  ): Promise<Types.ObjectId[]> {
    return missingFrom(await this.ofLeads(organizationId, leadIds), leadIds);
  }

  async unfinished(organizationId: Types.ObjectId): Promise<ErasureDocument[]> {
    return this.erasures.find(organizationId, { completedAt: null });
  }

  async all(): Promise<ErasureDocument[]> {
    return this.erasures.acrossTenants.find<ErasureDocument>({}).sort({ _id: 1 }).toArray();
  }

  async count(
    { organizationId, _id }: Pick<ErasureDocument, 'organizationId' | '_id'>,
    counts: Partial<ErasureCounts>,
  ): Promise<void> {
    const entries = Object.entries(counts).map(([kind, count]) => [`counts.${kind}`, count]);
    const $inc = Object.fromEntries(entries) as { counts?: number };
    await this.erasures.updateOne(organizationId, { _id }, { $inc });
  }

  async complete({ organizationId, _id }: ErasureDocument): Promise<void> {
    const completedAt = this.clock.now();
    const $set = { completedAt, updatedAt: completedAt };
    await this.erasures.updateOne(organizationId, { _id }, { $set });
  }

  private async ofLeads(
    organizationId: Types.ObjectId,
    leadIds: readonly Types.ObjectId[],
  ): Promise<ErasureDocument[]> {
    if (leadIds.length === 0) return [];
    return this.erasures.find(organizationId, { leadIds: { $in: leadIds } });
  }
}

function missingFrom(
  erasures: readonly ErasureDocument[],
  ids: readonly Types.ObjectId[],
): Types.ObjectId[] {
  const listed = new Set(erasures.flatMap(({ leadIds }) => leadIds.map((id) => id.toHexString())));
  return ids.filter((id) => !listed.has(id.toHexString()));
}
