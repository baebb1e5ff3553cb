import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Types } from 'mongoose';
import { parseObjectId } from '../../core/database/documents/tenant-document.js';
import type { TenantIds, TenantUpdate } from '../../core/database/documents/tenant-queries.js';
import { acrossTenants } from '../../core/database/models/across-tenants.js';
import type { CrossTenantModel } from '../../core/database/models/tenant-model.js';
import { prefixOf } from './api-key-policy.js';
import type { ApiKeyDocument } from './api-key.schema.js';

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

  /** @param reference an id, a prefix or a complete key */
  async search(
    organizationIds: readonly Types.ObjectId[],
    reference: string,
  ): Promise<ApiKeyDocument[]> {
    const $or = keyFilters(reference, prefixOf(reference));
    return this.read({ organizationId: { $in: [...organizationIds] }, $or });
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
