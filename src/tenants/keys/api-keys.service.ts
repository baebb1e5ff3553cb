import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { Clock } from '../../core/configuration/clock.js';
import { parseObjectId } from '../../core/database/documents/object-id.js';
import { Transactions } from '../../core/database/transactions/transactions.js';
import type { Operation } from '../../core/http/operations.js';
import type { RateLimit } from '../../core/http/rate-limit/token-buckets.js';
import { newSecret, signingSecrets } from '../../core/secrets/signing-secret.js';
import { CallbackSignatures } from './callback-signatures.js';
import { newApiKey, prefixOf } from './api-key-format.js';
import { keyRateLimit } from './api-key-rate-limit.js';
import { type ApiKeyState, apiKeyState } from './api-key-state.js';
import type { ApiKeyDocument } from './api-key.schema.js';
import { ApiKeysRepository } from './api-keys.repository.js';

/** What is decided about a key before it exists. */
type NewKeyFields = Pick<
  ApiKeyDocument,
  'organizationId' | 'name' | 'permissions' | 'rateLimit' | 'expiresAt'
>;

/** A new key; `key` is shown once and stored nowhere. */
export interface NewApiKey {
  readonly key: string;
  /** Of a key whose callbacks have to be signed; shown once, too, and stored sealed. */
  readonly signingSecret?: string;
  readonly document: ApiKeyDocument;
}

/** The successor of a key, and until when the old one keeps working. */
export interface RotatedApiKey extends NewApiKey {
  readonly oldExpiresAt: Date;
}

/** API keys as the operator manages them (rule AUTH-4). */
@Injectable()
export class ApiKeysService {
  constructor(
    private readonly keys: ApiKeysRepository,
    private readonly transactions: Transactions,
    private readonly signatures: CallbackSignatures,
    private readonly clock: Clock,
  ) {}

  /**
   * Issues a key with external access for some operations.
   *
   * @param addresses null where it may be used from everywhere
   *
   * @throws Error when it would have expired already
   */
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
    /** Whether its callbacks have to be signed. */
    readonly isSigned?: boolean;
    readonly rateLimit: RateLimit | null;
    readonly expiresAt: Date | null;
  }): Promise<NewApiKey> {
    const { expiresAt } = fields;
    if (expiresAt !== null && expiresAt <= this.clock.now()) {
      throw new Error(`The key would have expired already, at ${expiresAt.toISOString()}.`);
    }
    const permissions = {
      allowExternal: true,
      operations: [...operations],
      addresses: addresses && [...addresses],
    };
    return this.store({ ...fields, permissions }, isSigned ? [] : null);
  }

  /** All keys of an organization, oldest first, revoked ones included. */
  async list(organizationId: Types.ObjectId): Promise<ApiKeyDocument[]> {
    return this.keys.listOfOrganization(organizationId);
  }

  /** The keys of organizations that an id, a shown prefix or a key itself names. */
  async search(
    organizationIds: readonly Types.ObjectId[],
    reference: string,
  ): Promise<ApiKeyDocument[]> {
    return this.keys.findNamed(organizationIds, parseObjectId(reference), prefixOf(reference));
  }

  /** The keys with an id or a shown prefix. */
  async find(idOrPrefix: string): Promise<ApiKeyDocument[]> {
    return this.keys.findByIdOrPrefix(parseObjectId(idOrPrefix), idOrPrefix);
  }

  /** Those of the ids, of whichever organizations. */
  async findByIds(ids: readonly Types.ObjectId[]): Promise<ApiKeyDocument[]> {
    return this.keys.findByIds(ids);
  }

  /** Keys that work and that nobody has restricted to operations, of all organizations. */
  async listUnrestricted(): Promise<ApiKeyDocument[]> {
    const keys = await this.keys.listUnrestricted();
    return keys.filter((key) => this.stateOf(key) === 'active');
  }

  /** Whether a key has ended by now, and how. */
  stateOf(key: ApiKeyDocument): ApiKeyState {
    return apiKeyState(key, this.clock.now());
  }

  /**
   * Changes what a key may be used for, or from where, everywhere within 5 seconds; what is not given stays.
   *
   * @param changes `addresses` is null where it may be used from everywhere
   */
  async restrict(
    key: ApiKeyDocument,
    changes: {
      readonly operations?: readonly Operation[];
      readonly addresses?: readonly string[] | null;
    },
  ): Promise<void> {
    await this.keys.restrict(key, changes, this.clock.now());
  }

  /** The limit of a key itself; null when the service's counts. */
  rateLimitOf(key: ApiKeyDocument): RateLimit | null {
    return keyRateLimit(key);
  }

  /** Gives a key a limit of its own, or with null the service's, everywhere within 5 seconds. */
  async setRateLimit(key: ApiKeyDocument, rateLimit: RateLimit | null): Promise<void> {
    await this.keys.setRateLimit(key, rateLimit, this.clock.now());
  }

  /**
   * Ends a key; instances that have seen it forget it within 5 seconds.
   *
   * @returns since when it is revoked, which a second call does not change
   */
  async revoke(key: ApiKeyDocument): Promise<Date> {
    const now = this.clock.now();
    const earlier = this.stateOf(key) === 'revoked' ? key.revokedAt : null;
    const revokedAt = earlier ?? now;
    await this.keys.setEnd(key, { revokedAt }, now);
    return revokedAt;
  }

  /**
   * Issues a successor with the same permissions and limit, and without an end of its own; the old key keeps
   * working until the overlap is over. The successor of a signed key has a new secret, and takes the old one until then. Both or neither is stored: nobody would know a successor of a failed call.
   *
   * @throws Error when the old key is revoked or gone
   */
  async rotate(key: ApiKeyDocument, overlapMilliseconds: number): Promise<RotatedApiKey> {
    return this.transactions.run(async () => {
      const old = await this.keys.reload(key);
      if (old === null || this.stateOf(old) === 'revoked') {
        throw new Error(`The key ${key.prefix} is revoked and cannot be rotated: issue a new one.`);
      }
      const now = this.clock.now();
      const end = new Date(now.getTime() + overlapMilliseconds);
      const oldExpiresAt = old.expiresAt && old.expiresAt < end ? old.expiresAt : end;
      const earlier = signingSecrets(old.secrets, now).map((secret) => ({
        secret: this.signatures.open(old._id, secret),
        expiresAt: secret.expiresAt ?? oldExpiresAt,
      }));
      const isSigned = old.secrets && old.secrets.length > 0;
      const successor = await this.store({ ...old, expiresAt: null }, isSigned ? earlier : null);
      await this.keys.setEnd(old, { expiresAt: oldExpiresAt }, now);
      return { ...successor, oldExpiresAt };
    });
  }

  /** @param earlier secrets that a signed key takes for some time, too; null where it is not signed */
  private async store(
    fields: NewKeyFields,
    earlier: readonly { readonly secret: string; readonly expiresAt: Date }[] | null,
  ): Promise<NewApiKey> {
    const now = this.clock.now();
    const { key, prefix, hash } = newApiKey();
    const _id = new Types.ObjectId();
    const signingSecret = newSecret();
    const secrets = earlier && [{ secret: signingSecret, expiresAt: null }, ...earlier];
    const document: ApiKeyDocument = {
      ...fields,
      _id,
      secrets:
        secrets?.map(({ secret, expiresAt }) => ({
          ...this.signatures.seal(_id, secret, now),
          expiresAt,
        })) ?? null,
      prefix,
      hash,
      revokedAt: null,
      lastUsedAt: null,
      createdAt: now,
      updatedAt: now,
    };
    await this.keys.insert(document);
    return { key, document, ...(earlier && { signingSecret }) };
  }
}
