import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import {
  type CollectionAcrossTenants,
  InjectAcrossTenants,
} from '../database/documents/across-tenants.js';
import type { ApiKeyDocument } from './api-key.schema.js';

/** Keys are looked up before their organization is known. */
@Injectable()
export class ApiKeysRepository {
  constructor(
    @InjectAcrossTenants('ApiKey') private readonly keys: CollectionAcrossTenants<ApiKeyDocument>,
  ) {}

  async findByHash(hash: string): Promise<ApiKeyDocument | null> {
    return this.keys.acrossTenants.findOne<ApiKeyDocument>({ hash });
  }

  async listOfOrganization(organizationId: Types.ObjectId): Promise<ApiKeyDocument[]> {
    return this.keys.find(organizationId, {}, { sort: { createdAt: 1 } });
  }

  /** Keys by their id or by the prefix that is shown of them. */
  async findByIdOrPrefix(_id: Types.ObjectId | null, prefix: string): Promise<ApiKeyDocument[]> {
    const filter = _id === null ? { prefix } : { $or: [{ _id }, { prefix }] };
    return this.keys.acrossTenants.find<ApiKeyDocument>(filter).toArray();
  }

  async findByIds(ids: readonly Types.ObjectId[]): Promise<ApiKeyDocument[]> {
    if (ids.length === 0) return [];
    return this.keys.acrossTenants.find<ApiKeyDocument>({ _id: { $in: [...ids] } }).toArray();
  }

  /** The current state of a key, as the open transaction sees it. */
  async reload({ _id, organizationId }: ApiKeyDocument): Promise<ApiKeyDocument | null> {
    return this.keys.findOne(organizationId, { _id });
  }

  async insert(key: ApiKeyDocument): Promise<void> {
    await this.keys.insert(key);
  }

  async markUsed({ _id, organizationId }: ApiKeyDocument, lastUsedAt: Date): Promise<void> {
    await this.keys.updateOne(organizationId, { _id }, { $max: { lastUsedAt } });
  }

  /** Gives a key a limit of requests of its own, or with null the service's. */
  async setRateLimit(
    { _id, organizationId }: ApiKeyDocument,
    rateLimit: { readonly rps: number; readonly burst: number } | null,
    updatedAt: Date,
  ): Promise<void> {
    await this.keys.updateOne(organizationId, { _id }, { $set: { rateLimit, updatedAt } });
  }

  /** Ends a key at a time, by revoking it or by letting it expire. */
  async setEnd(
    { _id, organizationId }: ApiKeyDocument,
    end: { revokedAt: Date } | { expiresAt: Date },
    updatedAt: Date,
  ): Promise<void> {
    await this.keys.updateOne(organizationId, { _id }, { $set: { ...end, updatedAt } });
  }
}
