import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { Clock } from '../../core/configuration/clock.js';
import type { TenantIds, TenantUpdate } from '../../core/database/documents/tenant-queries.js';
import { Transactions } from '../../core/database/transactions/transactions.js';
import type { Operation, Visibility } from './operations.js';
import type { RateLimit } from '../../core/http/requests/request-caller.js';
import { newSecret, signingSecrets } from '../../core/secrets/signing-secret.js';
import { newApiKey, type ApiKeyState, apiKeyState, newOperations } from './api-key-policy.js';
import type { ApiKeyDocument } from './api-key.schema.js';
import { ApiKeysRepository, type Period } from './api-keys.repository.js';
import { CallbackSignatures } from './callback-signatures.js';

type NewKeyFields = Pick<
  ApiKeyDocument,
  'organizationId' | 'name' | 'permissions' | 'rateLimit' | 'expiresAt'
>;

export type NewApiKey = Awaited<ReturnType<ApiKeysService['issue']>>;

/** A search box shows no more. */
const maxFound = 20;

/** Other processes see a change within 5 seconds (rule AUTH-4). */
@Injectable()
export class ApiKeysService {
  constructor(
    private readonly keys: ApiKeysRepository,
    private readonly transactions: Transactions,
    private readonly signatures: CallbackSignatures,
    private readonly clock: Clock,
  ) {}

  /** @throws Error when the expiry is in the past */
  async issue({
    operations,
    addresses,
    origins,
    visibility = 'all',
    isSigned = false,
    ...fields
  }: {
    readonly organizationId: Types.ObjectId;
    readonly name: string;
    readonly operations: readonly Operation[];
    readonly addresses: readonly string[] | null;
    readonly origins?: readonly string[] | null;
    readonly visibility?: Visibility;
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
      ...(origins && { origins: [...origins] }),
      visibility,
    };
    return this.store({ ...fields, permissions }, isSigned ? [] : null);
  }

  /** Returns the oldest key first. */
  async list(organizationIds: TenantIds): Promise<ApiKeyDocument[]> {
    return this.keys.list(organizationIds);
  }

  async find(idOrPrefix: string): Promise<ApiKeyDocument[]> {
    return this.keys.find(idOrPrefix);
  }

  /** Returns the keys of all organizations without hashes and secrets. */
  async listAll(): Promise<ApiKeyDocument[]> {
    return this.keys.listAll();
  }

  /** Returns unrevoked keys of all organizations that were last used in a time, expire in a time, or have one of the ids. */
  async listUsedExpiringOrNamed(
    used: Period,
    expiring: Period | undefined,
    ids: readonly Types.ObjectId[],
  ): Promise<ApiKeyDocument[]> {
    return this.keys.findUsedExpiringOrNamed(used, expiring, ids);
  }

  /** Counts keys of all organizations that are not revoked, were used since a time and expire until another. */
  async countExpiring({ until, usedSince }: { readonly until: Date; readonly usedSince: Date }) {
    return this.keys.countExpiring(this.clock.now(), until, usedSince);
  }

  /** Returns the ids of stored keys and their organizations by hash. */
  async findByHashes(hashes: readonly string[]) {
    const keys = await this.keys.findByHashes(hashes);
    return new Map(keys.map(({ hash, _id, organizationId }) => [hash, { _id, organizationId }]));
  }

  /**
   * Searches all organizations, and returns keys without hashes and secrets by name.
   *
   * @param text a part of the name, an id, a prefix or a complete key
   */
  async searchKeys(text: string, limit = maxFound): Promise<ApiKeyDocument[]> {
    return this.keys.searchAll(text.trim(), limit);
  }

  async findByIds(ids: readonly Types.ObjectId[]): Promise<ApiKeyDocument[]> {
    return this.keys.findByIds(ids);
  }

  async listActive(organizationIds: readonly Types.ObjectId[]): Promise<ApiKeyDocument[]> {
    const keys = await this.keys.findUnrevoked(organizationIds);
    return keys.filter((key) => this.stateOf(key) === 'active');
  }

  /** Returns active keys of all organizations that are not restricted to operations. */
  async listUnrestricted(): Promise<ApiKeyDocument[]> {
    const keys = await this.keys.findUnrestricted();
    return keys.filter((key) => this.stateOf(key) === 'active');
  }

  /** Returns active keys of all organizations whose purpose has got more operations since. */
  async listEarlier(): Promise<ApiKeyDocument[]> {
    const keys = await this.keys.findRestricted();
    return keys.filter((key) => this.stateOf(key) === 'active' && newOperations(key).length > 0);
  }

  stateOf(key: ApiKeyDocument): ApiKeyState {
    return apiKeyState(key, this.clock.now());
  }

  /** @param changes paths such as `permissions.addresses`; other fields stay */
  async update(key: ApiKeyDocument, changes: TenantUpdate<ApiKeyDocument>['$set']): Promise<void> {
    await this.keys.update(key, { $set: { ...changes, updatedAt: this.clock.now() } });
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
      const old = await this.keys.findAgain(key);
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
}
