import { Injectable } from '@nestjs/common';
import type { Filter } from 'mongodb';
import type { Types } from 'mongoose';
import {
  type CollectionAcrossTenants,
  InjectAcrossTenants,
} from '../../core/database/documents/across-tenants.js';
import type { ApiKeyDocument } from './api-key.schema.js';

type Permissions = NonNullable<ApiKeyDocument['permissions']>;

/** Keys are looked up before their organization is known. */
@Injectable()
export class ApiKeysRepository {
  constructor(
    @InjectAcrossTenants('ApiKey') private readonly keys: CollectionAcrossTenants<ApiKeyDocument>,
  ) {}

  async findByHash(hash: string): Promise<ApiKeyDocument | null> {
    const [key] = await this.findAcross({ hash });
    return key ?? null;
  }

  async listOfOrganization(organizationId: Types.ObjectId): Promise<ApiKeyDocument[]> {
    const keys = this.known(await this.keys.findAsStored(organizationId, {}));
    return keys.toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime());
  }

  /** Keys by their id or by the prefix that is shown of them. */
  async findByIdOrPrefix(_id: Types.ObjectId | null, prefix: string): Promise<ApiKeyDocument[]> {
    const filter = _id === null ? { prefix } : { $or: [{ _id }, { prefix }] };
    return this.findAcross(filter);
  }

  /** As {@link findByIdOrPrefix}, of some organizations. */
  async findNamed(
    organizationIds: readonly Types.ObjectId[],
    _id: Types.ObjectId | null,
    prefix: string,
  ): Promise<ApiKeyDocument[]> {
    const names = [{ prefix }, ...(_id === null ? [] : [{ _id }])];
    const found = await Promise.all(names.map((name) => this.keys.find(organizationIds, name)));
    return this.known(found.flat());
  }

  /** Keys that nobody has restricted to operations, of all organizations. */
  async listUnrestricted(): Promise<ApiKeyDocument[]> {
    return this.findAcross({ 'permissions.operations': null, revokedAt: null });
  }

  async findByIds(ids: readonly Types.ObjectId[]): Promise<ApiKeyDocument[]> {
    if (ids.length === 0) return [];
    return this.findAcross({ _id: { $in: [...ids] } });
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

  /** Changes the permissions that are given. */
  async restrict(
    { _id, organizationId }: ApiKeyDocument,
    permissions: {
      readonly operations?: readonly string[];
      readonly addresses?: readonly string[] | null;
    },
    updatedAt: Date,
  ): Promise<void> {
    const changes: Record<`permissions.${string}`, unknown> = {};
    for (const [name, value] of Object.entries(permissions)) changes[`permissions.${name}`] = value;
    await this.keys.updateOne(organizationId, { _id }, { $set: { ...changes, updatedAt } });
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

  private async findAcross(filter: Filter<ApiKeyDocument>): Promise<ApiKeyDocument[]> {
    return this.known(await this.keys.acrossTenants.find<ApiKeyDocument>(filter).toArray());
  }

  /** A value of another type than it should have makes a key end, or permit nothing, never permit more. */
  private known(stored: ApiKeyDocument[]): ApiKeyDocument[] {
    const byId = new Map(stored.map((key) => [key._id, key]));
    return this.keys.known(stored).map((key) => {
      const { revokedAt, permissions } = byId.get(key._id) ?? key;
      const isRevoked = !key.revokedAt && revokedAt;
      return {
        ...key,
        ...(isRevoked ? { revokedAt: key.createdAt } : {}),
        ...(key.permissions && {
          permissions: withClosedLists(key.permissions, permissions),
        }),
      };
    });
  }
}

/** A stored list that is none is an empty one, which permits nothing: a missing one would permit everything. */
function withClosedLists(
  known: Permissions,
  { operations, addresses }: Permissions = {},
): Permissions {
  return {
    ...known,
    ...((operations ?? null) !== null && { operations: known.operations ?? [] }),
    ...((addresses ?? null) !== null && { addresses: known.addresses ?? [] }),
  };
}
