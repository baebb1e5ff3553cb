import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { UsersRepository } from './users.repository.js';

/** The people of an organization. */
@Injectable()
export class UsersService {
  constructor(private readonly users: UsersRepository) {}

  /** The user's name, undefined when there is no such user. */
  async nameOf(organizationId: Types.ObjectId, _id: Types.ObjectId): Promise<string | undefined> {
    return (await this.users.findById(organizationId, _id))?.name;
  }
}
