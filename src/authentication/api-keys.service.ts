import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { Clock } from '../configuration/clock.js';
import { parseObjectId } from '../database/documents/object-id.js';
import { newApiKey } from './api-key-format.js';
import { type ApiKeyState, apiKeyState } from './api-key-state.js';
import type { ApiKeyDocument } from './api-key.schema.js';
import { ApiKeysRepository } from './api-keys.repository.js';

/** What the operator decides about a key. */
export interface ApiKeyFields {
  readonly organizationId: Types.ObjectId;
  readonly name: string;
  readonly expiresAt: Date | null;
}

/** A new key; `key` is shown once and stored nowhere. */
export interface NewApiKey {
  readonly key: string;
  readonly document: ApiKeyDocument;
}

/** What is decided about a key before it exists; a successor takes the rest over as well. */
type Decided = Pick<ApiKeyDocument, 'organizationId' | 'name' | 'permissions' | 'expiresAt'>;

/** The successor of a key, and until when the old one goes on working. */
export interface RotatedApiKey extends NewApiKey {
  readonly oldExpiresAt: Date;
}

/** The operator's side of API keys (section 5, item 4). */
@Injectable()
export class ApiKeysService {
  constructor(
    private readonly keys: ApiKeysRepository,
    private readonly clock: Clock,
  ) {}

  /**
   * Issues a key with external access.
   *
   * @throws Error when it would have expired already
   */
  async issue({ organizationId, name, expiresAt }: ApiKeyFields): Promise<NewApiKey> {
    if (expiresAt !== null && expiresAt <= this.clock.now()) {
      throw new Error(`The key would have expired already, at ${expiresAt.toISOString()}.`);
    }
    const permissions = { allowExternal: true };
    return this.store({ organizationId, name, permissions, expiresAt });
  }

  /** All keys of an organization, oldest first, revoked ones included. */
  async list(organizationId: Types.ObjectId): Promise<ApiKeyDocument[]> {
    return this.keys.listOfOrganization(organizationId);
  }

  /** The keys that an id or a shown prefix stands for. */
  async find(idOrPrefix: string): Promise<ApiKeyDocument[]> {
    return this.keys.findByIdOrPrefix(parseObjectId(idOrPrefix), idOrPrefix);
  }

  /** Whether a key's time has come to an end by now, and how. */
  stateOf(key: ApiKeyDocument): ApiKeyState {
    return apiKeyState(key, this.clock.now());
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
    await this.keys.setRevokedAt(key._id, revokedAt, now);
    return revokedAt;
  }

  /**
   * Issues a successor that may do what the old key may, without an end of its own, and lets the old
   * key work until the overlap is over.
   *
   * @throws Error when the old key is revoked
   */
  async rotate(old: ApiKeyDocument, overlapMilliseconds: number): Promise<RotatedApiKey> {
    const now = this.clock.now();
    if (this.stateOf(old) === 'revoked') {
      throw new Error(`The key ${old.prefix} is revoked and cannot be rotated: issue a new one.`);
    }
    const successor = await this.store({ ...old, expiresAt: null });
    const end = new Date(now.getTime() + overlapMilliseconds);
    const oldExpiresAt = old.expiresAt && old.expiresAt < end ? old.expiresAt : end;
    await this.keys.setExpiresAt(old._id, oldExpiresAt, now);
    return { ...successor, oldExpiresAt };
  }

  private async store(decided: Decided): Promise<NewApiKey> {
    const now = this.clock.now();
    const { key, prefix, hash } = newApiKey();
    const document: ApiKeyDocument = {
      ...decided,
      _id: new Types.ObjectId(),
      prefix,
      hash,
      revokedAt: null,
      lastUsedAt: null,
      createdAt: now,
      updatedAt: now,
    };
    await this.keys.insert(document);
    return { key, document };
  }
}
