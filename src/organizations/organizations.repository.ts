import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { type Model, trusted, type Types } from 'mongoose';
import type { OrganizationDocument } from './organization.schema.js';

/** The queries on `organizations`. */
@Injectable()
export class OrganizationsRepository {
  constructor(@InjectModel('Organization') private readonly model: Model<OrganizationDocument>) {}

  async findActive(_id: Types.ObjectId): Promise<OrganizationDocument | null> {
    return this.model
      .findOne({ _id, isDeleted: trusted({ $ne: true }) })
      .lean<OrganizationDocument>();
  }

  async listActive(): Promise<OrganizationDocument[]> {
    return this.model
      .find({ isDeleted: trusted({ $ne: true }) })
      .sort({ createdAt: 1 })
      .lean<OrganizationDocument[]>();
  }

  async listAllIds(): Promise<Types.ObjectId[]> {
    return this.model.distinct('_id');
  }

  async listUpdatedSince(since: Date): Promise<OrganizationDocument[]> {
    return this.model
      .find({ isDeleted: trusted({ $ne: true }), updatedAt: trusted({ $gte: since }) })
      .lean<OrganizationDocument[]>();
  }

  async insert(organization: OrganizationDocument): Promise<void> {
    await this.model.collection.insertOne(organization);
  }

  /** @returns whether there is such an organization */
  async update(_id: Types.ObjectId, fields: Record<string, unknown>): Promise<boolean> {
    const result = await this.model.updateOne(
      { _id, isDeleted: trusted({ $ne: true }) },
      { $set: fields },
    );
    return result.matchedCount > 0;
  }
}
