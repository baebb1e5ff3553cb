import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Types } from 'mongoose';
import { duplicateKey } from '../../core/database/connection/database-errors.js';
import type { KeysetPage, KeysetRequest } from '../../core/database/documents/keyset.js';
import { acrossTenants } from '../../core/database/models/across-tenants.js';
import { pageOf } from '../../core/database/models/pages.js';
import type { CrossTenantModel } from '../../core/database/models/tenant-model.js';
import type { OperatorLogDocument } from './operator-log.schema.js';

@Injectable()
export class OperatorLogRepository {
  constructor(
    @InjectModel('OperatorLog') private readonly entries: CrossTenantModel<OperatorLogDocument>,
  ) {}

  /** Returns false if the form has an entry already. */
  async insert(entry: OperatorLogDocument): Promise<boolean> {
    try {
      await this.entries.insertMany([entry], { lean: true });
      return true;
    } catch (error) {
      if (duplicateKey(error) === undefined) throw error;
      return false;
    }
  }

  async find(organizationId: Types.ObjectId, formId: string): Promise<OperatorLogDocument | null> {
    return this.entries.findOne({ organizationId, formId }).lean();
  }

  /** Reads the newest entries of all organizations first. */
  async list(part: KeysetRequest): Promise<KeysetPage<OperatorLogDocument>> {
    return pageOf(this.entries, {}, { _id: -1 }, part, { options: acrossTenants as object });
  }

  async update(
    { organizationId, _id }: OperatorLogDocument,
    $set: Pick<OperatorLogDocument, 'result' | 'count' | 'updatedAt'>,
  ): Promise<void> {
    await this.entries.updateOne({ organizationId, _id }, { $set });
  }
}
