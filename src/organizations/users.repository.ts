import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model, Types } from 'mongoose';
import { TenantCollection } from '../database/documents/tenant-collection.js';
import type { UserDocument } from './user.schema.js';

/** The queries on `users`. */
@Injectable()
export class UsersRepository {
  private readonly users: TenantCollection<UserDocument>;

  constructor(@InjectModel('User') model: Model<UserDocument>) {
    this.users = new TenantCollection(model);
  }

  async findById(
    organizationId: Types.ObjectId,
    _id: Types.ObjectId,
  ): Promise<UserDocument | null> {
    return this.users.findOne(organizationId, { _id });
  }
}
