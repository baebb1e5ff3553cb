import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { TenantCollection } from '../database/documents/tenant-collection.js';
import { InjectCollection } from '../database/documents/inject-collection.js';
import type { UserDocument } from './user.schema.js';

@Injectable()
export class UsersRepository {
  constructor(@InjectCollection('User') private readonly users: TenantCollection<UserDocument>) {}

  async findById(
    organizationId: Types.ObjectId,
    _id: Types.ObjectId,
  ): Promise<UserDocument | null> {
    return this.users.findOne(organizationId, { _id });
  }
}
