import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { PipelineStage, Types } from 'mongoose';
import { parseObjectId } from '../../core/database/documents/tenant-document.js';
import type { TenantIds, TenantUpdate } from '../../core/database/documents/tenant-queries.js';
import { containing } from '../../core/database/documents/containing.js';
import { acrossTenants } from '../../core/database/models/across-tenants.js';
import type { CrossTenantModel } from '../../core/database/models/tenant-model.js';
import { prefixOf } from './api-key-policy.js';
import type { ApiKeyDocument } from './api-key.schema.js';

/** Keys of thousands of organizations must not need a second command. */
const maxBatch = 10_000;

export interface Period {
  readonly from: Date;
  readonly until: Date;
}

@Injectable()
export class ApiKeysRepository {
  constructor(@InjectModel('ApiKey') private readonly keys: CrossTenantModel<ApiKeyDocument>) {}

  async findByHash(hash: string): Promise<ApiKeyDocument | null> {
    const [key] = await this.read({ hash }, acrossTenants);
    return key ?? null;
  }

  /** @param idOrPrefix may belong to any organization */
  async find(idOrPrefix: string): Promise<ApiKeyDocument[]> {
    return this.read({ $or: keyFilters(idOrPrefix, idOrPrefix) }, acrossTenants);
  }

  async findByIds(ids: readonly Types.ObjectId[]): Promise<ApiKeyDocument[]> {
    return this.read({ _id: { $in: [...ids] } }, acrossTenants);
  }

  /** Returns the keys of all organizations in one batch, without hashes and secrets. */
  async listAll(): Promise<ApiKeyDocument[]> {
    return this.aggregate({}, [], { batchSize: maxBatch });
  }

  /** Returns unrevoked keys of all organizations that were last used in a time, expire in a time, or have one of the ids. */
  async findUsedExpiringOrNamed(
    used: Period,
    expiring: Period | undefined,
    ids: readonly Types.ObjectId[],
  ): Promise<ApiKeyDocument[]> {
    const $or = [
      { lastUsedAt: { $gte: used.from, $lte: used.until } },
      ...(expiring ? [{ expiresAt: { $gte: expiring.from, $lte: expiring.until } }] : []),
      { _id: { $in: ids } },
    ];
    return this.aggregate({ revokedAt: null, $or }, [], { batchSize: maxBatch });
  }

  /** Counts unrevoked keys of all organizations. */
  async countExpiring(now: Date, until: Date, usedSince: Date): Promise<number> {
    const filter = {
      revokedAt: null,
      expiresAt: { $gt: now, $lte: until },
      lastUsedAt: { $gte: usedSince },
    };
    return this.keys.countDocuments(filter, acrossTenants);
  }

  async findByHashes(
    hashes: readonly string[],
  ): Promise<Pick<ApiKeyDocument, '_id' | 'organizationId' | 'hash'>[]> {
    const fields = ['organizationId', 'hash'] as const;
    return this.keys.find({ hash: { $in: [...hashes] } }, fields, acrossTenants).lean();
  }

  /** Searches all organizations for a part of the name, an id, a prefix or a complete key. */
  async searchAll(text: string, limit: number): Promise<ApiKeyDocument[]> {
    const $or = [...keyFilters(text, prefixOf(text)), { name: containing(text) }];
    return this.aggregate({ $or }, [{ $sort: { name: 1, _id: 1 } }, { $limit: limit }]);
  }

  /** Returns unrevoked keys of all organizations that are not restricted to operations. */
  async findUnrestricted(): Promise<ApiKeyDocument[]> {
    return this.read({ 'permissions.operations': null, revokedAt: null }, acrossTenants);
  }

  /** Returns unrevoked keys of all organizations that are restricted to operations. */
  async findRestricted(): Promise<ApiKeyDocument[]> {
    return this.read({ 'permissions.operations': { $ne: null }, revokedAt: null }, acrossTenants);
  }

  /** Returns what is needed of keys of all organizations that have origins, are not revoked and have not expired. */
  async findForPages(
    now: Date,
    limit: number,
  ): Promise<Pick<ApiKeyDocument, 'permissions' | 'expiresAt' | 'revokedAt'>[]> {
    const filter = {
      // The sparse index contains them.
      'permissions.origins': { $gt: '' },
      'permissions.allowExternal': true,
      $nor: [{ revokedAt: { $lte: now } }, { expiresAt: { $lte: now } }],
    };
    const fields = ['permissions', 'expiresAt', 'revokedAt'] as const;
    return this.keys.find(filter, fields, { limit, ...acrossTenants }).lean();
  }

  async findUnrevoked(organizationIds: readonly Types.ObjectId[]): Promise<ApiKeyDocument[]> {
    return this.read({ organizationId: { $in: [...organizationIds] }, revokedAt: null });
  }

  /** Returns the oldest key first. */
  async list(organizationIds: TenantIds): Promise<ApiKeyDocument[]> {
    const organizationId = { $in: [organizationIds].flat() };
    return this.keys.find({ organizationId }, null, { sort: { createdAt: 1 } }).lean();
  }

  async findAgain({ organizationId, _id }: ApiKeyDocument): Promise<ApiKeyDocument | null> {
    const [key] = await this.read({ organizationId, _id });
    return key ?? null;
  }

  async insert(key: ApiKeyDocument): Promise<void> {
    await this.keys.insertMany([key], { lean: true });
  }

  async update(
    { organizationId, _id }: ApiKeyDocument,
    update: TenantUpdate<ApiKeyDocument>,
  ): Promise<void> {
    await this.keys.updateOne({ organizationId, _id }, update);
  }

  private async aggregate(
    $match: PipelineStage.Match['$match'],
    steps: readonly PipelineStage[],
    options: { readonly batchSize?: number } = {},
  ): Promise<ApiKeyDocument[]> {
    const $project = { hash: 0, 'secrets.sealed': 0 };
    const all = [{ $match }, ...steps, { $project }];
    return this.keys.aggregate(all, { ...options, ...acrossTenants });
  }

  private async read(
    filter: Parameters<CrossTenantModel<ApiKeyDocument>['find']>[0],
    options: Partial<typeof acrossTenants> = {},
  ): Promise<ApiKeyDocument[]> {
    return this.keys.find(filter, null, options).lean();
  }
}

function keyFilters(id: string, prefix: string) {
  const _id = parseObjectId(id);
  return [{ prefix }, ...(_id === null ? [] : [{ _id }])];
}
