import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { TenantCollection } from '../../core/database/documents/tenant-collection.js';
import { InjectCollection } from '../../core/database/documents/inject-collection.js';
import type { UserDocument } from './user.schema.js';

@Injectable()
export class UsersRepository {
  constructor(@InjectCollection('User') private readonly users: TenantCollection<UserDocument>) {}

  /** The names of users, by their id. */
  async namesOf(
    organizationId: Types.ObjectId,
    ids: readonly Types.ObjectId[],
  ): Promise<ReadonlyMap<string, string>> {
    if (ids.length === 0) return new Map();
    const users = await this.users.find(
      organizationId,
      { _id: { $in: ids } },
      { fields: ['name'] },
    );
    return new Map(users.flatMap(({ _id, name }) => (name ? [[_id.toHexString(), name]] : [])));
  }
}
