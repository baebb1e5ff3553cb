import { Injectable } from '@nestjs/common';
import { InjectModel, Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import type { Types } from 'mongoose';
import { objectIds, TenantDocument } from '../../core/database/documents/tenant-document.js';
import type { TenantModel } from '../../core/database/models/tenant-model.js';
import { scalarText } from '../../core/values/json.js';

/** The admin platform writes these documents; this service only reads them. */
@Schema({ collection: 'users' })
export class UserDocument extends TenantDocument {
  @Prop()
  name?: string;
}

export const userSchema = SchemaFactory.createForClass(UserDocument);

userSchema.index({ organizationId: 1, _id: 1 }, { name: 'byOrganization' });

@Injectable()
export class UsersRepository {
  constructor(@InjectModel('User') private readonly users: TenantModel<UserDocument>) {}

  /** Omits users without a name that a message can show. */
  async namesOf(
    organizationId: Types.ObjectId,
    ids: readonly Types.ObjectId[],
  ): Promise<ReadonlyMap<string, string>> {
    const known = objectIds(ids);
    if (known.length === 0) return new Map();
    const users = await this.users.find({ organizationId, _id: { $in: known } }, ['name']).lean();
    const names = users.map(({ _id, name }) => [_id.toHexString(), scalarText(name)] as const);
    return new Map(names.filter(([, name]) => name.trim() !== ''));
  }
}
