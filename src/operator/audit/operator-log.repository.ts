import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { duplicateKey } from '../../core/database/connection/database-errors.js';
import {
  type CollectionAcrossTenants,
  InjectAcrossTenants,
} from '../../core/database/documents/across-tenants.js';
import {
  type KeysetPage,
  type KeysetRequest,
  readPage,
} from '../../core/database/documents/keyset.js';
import type { OperatorLogDocument, OperatorResult } from './operator-log.schema.js';

@Injectable()
export class OperatorLogRepository {
  constructor(
    @InjectAcrossTenants('OperatorLog')
    private readonly entries: CollectionAcrossTenants<OperatorLogDocument>,
  ) {}

  /** @returns false when the form has an entry */
  async insert(entry: OperatorLogDocument): Promise<boolean> {
    try {
      await this.entries.insert(entry);
      return true;
    } catch (error) {
      if (duplicateKey(error) === undefined) throw error;
      return false;
    }
  }

  async findByForm(
    organizationId: Types.ObjectId,
    formId: string,
  ): Promise<OperatorLogDocument | null> {
    return this.entries.findOne(organizationId, { formId });
  }

  async setResult(
    { organizationId, _id }: OperatorLogDocument,
    result: OperatorResult,
    count: number | null,
    updatedAt: Date,
  ): Promise<void> {
    await this.entries.updateOne(organizationId, { _id }, { $set: { result, count, updatedAt } });
  }

  async list(part: KeysetRequest): Promise<KeysetPage<OperatorLogDocument>> {
    const { acrossTenants } = this.entries;
    return readPage({ _id: -1 }, part, (after, options) =>
      acrossTenants.find<OperatorLogDocument>(after, options).toArray(),
    );
  }
}
