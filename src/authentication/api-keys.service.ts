import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { Clock } from '../configuration/clock.js';
import { type IssuedKey, newApiKey } from './api-key-format.js';
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

/** The operator's side of API keys (section 5, item 4). */
@Injectable()
export class ApiKeysService {
  constructor(
    private readonly keys: ApiKeysRepository,
    private readonly clock: Clock,
  ) {}

  /** Issues a key with external access. */
  async issue(fields: ApiKeyFields): Promise<NewApiKey> {
    const issued = newApiKey();
    const document = this.documentOf(issued, fields);
    await this.keys.insert(document);
    return { key: issued.key, document };
  }

  /** All keys of an organization, oldest first, revoked ones included. */
  async list(organizationId: Types.ObjectId): Promise<ApiKeyDocument[]> {
    return this.keys.listOfOrganization(organizationId);
  }

  /** The keys that an id or a shown prefix stands for. */
  async find(idOrPrefix: string): Promise<ApiKeyDocument[]> {
    const id = Types.ObjectId.isValid(idOrPrefix) ? new Types.ObjectId(idOrPrefix) : null;
    return this.keys.findByIdOrPrefix(id, idOrPrefix);
  }

  /** Ends a key; instances that have seen it forget it within 5 seconds. */
  async revoke({ _id, revokedAt }: ApiKeyDocument): Promise<Date> {
    const now = this.clock.now();
    await this.keys.setRevokedAt(_id, revokedAt ?? now, now);
    return revokedAt ?? now;
  }

  /** Issues a successor and lets the old key work until the overlap is over. */
  async rotate(old: ApiKeyDocument, overlapMilliseconds: number): Promise<NewApiKey> {
    const now = this.clock.now();
    const { organizationId, name } = old;
    const successor = await this.issue({ organizationId, name, expiresAt: null });
    const end = new Date(now.getTime() + overlapMilliseconds);
    const expiresAt = old.expiresAt && old.expiresAt < end ? old.expiresAt : end;
    await this.keys.setExpiresAt(old._id, expiresAt, now);
    return successor;
  }

  private documentOf(issued: IssuedKey, fields: ApiKeyFields): ApiKeyDocument {
    const now = this.clock.now();
    return {
      _id: new Types.ObjectId(),
      organizationId: fields.organizationId,
      name: fields.name,
      prefix: issued.prefix,
      hash: issued.hash,
      permissions: { allowExternal: true },
      expiresAt: fields.expiresAt,
      revokedAt: null,
      lastUsedAt: null,
      createdAt: now,
      updatedAt: now,
    };
  }
}
