import { Injectable } from '@nestjs/common';
import type { Filter } from 'mongodb';
import { Types } from 'mongoose';
import { Clock } from '../../core/configuration/clock.js';
import {
  type CrossTenantCollection,
  InjectCrossTenant,
} from '../../core/database/documents/cross-tenant-collection.js';
import { parseObjectId } from '../../core/database/documents/tenant-document.js';
import type { TenantUpdate } from '../../core/database/documents/tenant-queries.js';
import { Transactions } from '../../core/database/transactions/transactions.js';
import type { Operation } from './permissions.js';
import type { RateLimit } from '../../core/http/rate-limit/token-buckets.js';
import { newSecret, signingSecrets } from '../../core/secrets/signing-secret.js';
import { newApiKey, prefixOf, type ApiKeyState, apiKeyState } from './api-key-policy.js';
import type { ApiKeyDocument } from './api-key.schema.js';
import { CallbackSignatures } from './callback-signatures.js';

type NewKeyFields = Pick<
  ApiKeyDocument,
  'organizationId' | 'name' | 'permissions' | 'rateLimit' | 'expiresAt'
>;

export type NewApiKey = Awaited<ReturnType<ApiKeysService['issue']>>;

/** Other processes see a change within 5 seconds (rule AUTH-4). */
@Injectable()
export class ApiKeysService {
  constructor(
    @InjectCrossTenant('ApiKey') private readonly keys: CrossTenantCollection<ApiKeyDocument>,
    private readonly transactions: Transactions,
    private readonly signatures: CallbackSignatures,
    private readonly clock: Clock,
  ) {}

  /** @throws Error when the expiry is in the past */
  async issue({
    operations,
    addresses,
    isSigned = false,
    ...fields
  }: {
    readonly organizationId: Types.ObjectId;
    readonly name: string;
    readonly operations: readonly Operation[];
    readonly addresses: readonly string[] | null;
    readonly isSigned?: boolean;
    readonly rateLimit: RateLimit | null;
    readonly expiresAt: Date | null;
  }) {
    const { expiresAt } = fields;
    if (expiresAt !== null && expiresAt <= this.clock.now()) {
      throw new Error(`The expiry ${expiresAt.toISOString()} is in the past. Choose a later time.`);
    }
    const permissions = {
      allowExternal: true,
      operations: [...operations],
      addresses: addresses && [...addresses],
    };
    return this.store({ ...fields, permissions }, isSigned ? [] : null);
  }

  async findByHash(hash: string): Promise<ApiKeyDocument | null> {
    const [key] = await this.findAcross({ hash });
    return key ?? null;
  }

  async list(organizationId: Types.ObjectId): Promise<ApiKeyDocument[]> {
    const keys = safeKeys(this.keys, await this.keys.findAsStored(organizationId, {}));
    return keys.toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime());
  }

  /** @param reference an id, a prefix or a complete key */
  async search(
    organizationIds: readonly Types.ObjectId[],
    reference: string,
  ): Promise<ApiKeyDocument[]> {
    const names = keyFilters(reference, prefixOf(reference));
    const found = await Promise.all(names.map((name) => this.keys.find(organizationIds, name)));
    return safeKeys(this.keys, found.flat());
  }

  async find(idOrPrefix: string): Promise<ApiKeyDocument[]> {
    return this.findAcross({ $or: keyFilters(idOrPrefix, idOrPrefix) });
  }

  async findByIds(ids: readonly Types.ObjectId[]): Promise<ApiKeyDocument[]> {
    return this.findAcross({ _id: { $in: [...ids] } });
  }

  async listActive(organizationIds: readonly Types.ObjectId[]): Promise<ApiKeyDocument[]> {
    const keys = safeKeys(this.keys, await this.keys.find(organizationIds, { revokedAt: null }));
    return keys.filter((key) => this.stateOf(key) === 'active');
  }

  /** Returns active keys of all organizations that are not restricted to operations. */
  async listUnrestricted(): Promise<ApiKeyDocument[]> {
    const keys = await this.findAcross({ 'permissions.operations': null, revokedAt: null });
    return keys.filter((key) => this.stateOf(key) === 'active');
  }

  stateOf(key: ApiKeyDocument): ApiKeyState {
    return apiKeyState(key, this.clock.now());
  }

  /** @param changes paths such as `permissions.addresses`; other fields stay */
  async update(
    { _id, organizationId }: ApiKeyDocument,
    changes: TenantUpdate<ApiKeyDocument>['$set'],
  ): Promise<void> {
    const $set = { ...changes, updatedAt: this.clock.now() };
    await this.keys.updateOne(organizationId, { _id }, { $set });
  }

  async markUsed({ _id, organizationId }: ApiKeyDocument, lastUsedAt: Date): Promise<void> {
    await this.keys.updateOne(organizationId, { _id }, { $max: { lastUsedAt } });
  }

  /** @returns time of the first revocation, which a second call does not change */
  async revoke(key: ApiKeyDocument): Promise<Date> {
    const earlier = this.stateOf(key) === 'revoked' ? key.revokedAt : null;
    const revokedAt = earlier ?? this.clock.now();
    await this.update(key, { revokedAt });
    return revokedAt;
  }

  /** The old key and secret work during the overlap. @throws Error when the old key is revoked or gone */
  async rotate(key: ApiKeyDocument, overlapMilliseconds: number) {
    return this.transactions.run(async () => {
      const old = await this.keys.findOne(key.organizationId, { _id: key._id });
      if (old === null || this.stateOf(old) === 'revoked') {
        throw new Error(`The key ${key.prefix} is revoked and cannot be rotated: issue a new one.`);
      }
      const now = this.clock.now();
      const end = new Date(now.getTime() + overlapMilliseconds);
      const oldExpiresAt = old.expiresAt && old.expiresAt < end ? old.expiresAt : end;
      const earlier = signingSecrets(old.secrets, now).map((secret) => ({
        secret: this.signatures.unseal(old._id, secret),
        expiresAt: secret.expiresAt ?? oldExpiresAt,
      }));
      const isSigned = old.secrets && old.secrets.length > 0;
      const successor = await this.store({ ...old, expiresAt: null }, isSigned ? earlier : null);
      await this.update(old, { expiresAt: oldExpiresAt });
      return { ...successor, oldExpiresAt };
    });
  }

  private async store(
    fields: NewKeyFields,
    earlier: readonly { readonly secret: string; readonly expiresAt: Date }[] | null,
  ) {
    const now = this.clock.now();
    const { key, prefix, hash } = newApiKey();
    const _id = new Types.ObjectId();
    const signingSecret = newSecret();
    const secrets = earlier && [{ secret: signingSecret, expiresAt: null }, ...earlier];
    const seal = ({ secret, expiresAt }: { secret: string; expiresAt: Date | null }) => ({
      ...this.signatures.seal(_id, secret, now),
      expiresAt,
    });
    const document: ApiKeyDocument = {
      ...fields,
      _id,
      secrets: secrets?.map(seal) ?? null,
      prefix,
      hash,
      revokedAt: null,
      lastUsedAt: null,
      createdAt: now,
      updatedAt: now,
    };
    await this.keys.insert(document);
    // The key is never stored; the secret is stored sealed.
    return { key, document, ...(earlier && { signingSecret }) };
  }

  private async findAcross(filter: Filter<ApiKeyDocument>): Promise<ApiKeyDocument[]> {
    return safeKeys(this.keys, await this.keys.allTenants.find<ApiKeyDocument>(filter).toArray());
  }
}

function keyFilters(id: string, prefix: string) {
  const _id = parseObjectId(id);
  return [{ prefix }, ...(_id === null ? [] : [{ _id }])];
}

/** A value of another type makes the key expire or permit nothing; it never permits more. */
function safeKeys(
  collection: CrossTenantCollection<ApiKeyDocument>,
  stored: ApiKeyDocument[],
): ApiKeyDocument[] {
  const byId = new Map(stored.map((key) => [key._id, key]));
  return collection.dropInvalidFields(stored).map((key) => {
    const { revokedAt, permissions = {} } = byId.get(key._id) ?? key;
    const isRevoked = !key.revokedAt && revokedAt;
    // Without valid items such a list would permit everything.
    const closed = (name: 'operations' | 'addresses') => {
      const list: unknown = permissions[name] ?? null;
      const isEmpty = list === null || (Array.isArray(list) && list.length === 0);
      const { [name]: valid = [] } = key.permissions ?? {};
      return !isEmpty && { [name]: valid?.length ? valid : ['invalid'] };
    };
    return {
      ...key,
      ...(isRevoked ? { revokedAt: key.createdAt } : {}),
      ...(key.permissions && {
        permissions: { ...key.permissions, ...closed('operations'), ...closed('addresses') },
      }),
    };
  });
}
