import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Types } from 'mongoose';
import type { TenantDocument } from '../../core/database/documents/tenant-document.js';
import { acrossTenants } from '../../core/database/models/across-tenants.js';
import type { CrossTenantModel } from '../../core/database/models/tenant-model.js';
import type { SealedSecret } from '../../core/secrets/signing-secret.js';

export interface SecretHolder extends TenantDocument {
  readonly secrets?: readonly SealedSecret[] | null;
}

export type SecretHolderKind = 'endpointId' | 'apiKeyId';

@Injectable()
export class SecretHoldersRepository {
  private readonly models: Readonly<Record<SecretHolderKind, CrossTenantModel<SecretHolder>>>;

  constructor(
    @InjectModel('WebhookEndpoint') endpoints: CrossTenantModel<SecretHolder>,
    @InjectModel('ApiKey') apiKeys: CrossTenantModel<SecretHolder>,
  ) {
    this.models = { endpointId: endpoints, apiKeyId: apiKeys };
  }

  async find(kind: SecretHolderKind): Promise<SecretHolder[]> {
    const filter = { 'secrets.0': { $exists: true } };
    const options = { sort: { _id: 1 }, ...acrossTenants } as const;
    return this.models[kind].find(filter, ['organizationId', 'secrets'], options).lean();
  }

  /** Returns the number of replaced secrets: 0 if another process was first. */
  async replace(
    kind: SecretHolderKind,
    _id: Types.ObjectId,
    sealed: string,
    again: string,
  ): Promise<number> {
    const same = { _id, 'secrets.sealed': sealed };
    const update = { $set: { 'secrets.$.sealed': again } };
    const { modifiedCount } = await this.models[kind].updateOne(same, update, acrossTenants);
    return modifiedCount;
  }
}
