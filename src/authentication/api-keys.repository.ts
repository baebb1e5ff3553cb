import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model, Types } from 'mongoose';
import type { ApiKeyDocument } from './api-key.schema.js';

/** The queries on `apiKeys`. */
@Injectable()
export class ApiKeysRepository {
  constructor(@InjectModel('ApiKey') private readonly model: Model<ApiKeyDocument>) {}

  async findByHash(hash: string): Promise<ApiKeyDocument | null> {
    return this.model.findOne({ hash }).lean<ApiKeyDocument>();
  }

  async listOfOrganization(organizationId: Types.ObjectId): Promise<ApiKeyDocument[]> {
    return this.model.find({ organizationId }).sort({ createdAt: 1 }).lean<ApiKeyDocument[]>();
  }

  /** Keys by their id or by the prefix that is shown of them. */
  async findByIdOrPrefix(id: Types.ObjectId | null, prefix: string): Promise<ApiKeyDocument[]> {
    return this.model
      .find(id === null ? { prefix } : { $or: [{ _id: id }, { prefix }] })
      .lean<ApiKeyDocument[]>();
  }

  async insert(key: ApiKeyDocument): Promise<void> {
    await this.model.collection.insertOne(key);
  }

  async markUsed(_id: Types.ObjectId, lastUsedAt: Date): Promise<void> {
    await this.model.updateOne({ _id }, { $max: { lastUsedAt } });
  }

  async setRevokedAt(_id: Types.ObjectId, revokedAt: Date, now: Date): Promise<void> {
    await this.model.updateOne({ _id }, { $set: { revokedAt, updatedAt: now } });
  }

  async setExpiresAt(_id: Types.ObjectId, expiresAt: Date, now: Date): Promise<void> {
    await this.model.updateOne({ _id }, { $set: { expiresAt, updatedAt: now } });
  }
}
