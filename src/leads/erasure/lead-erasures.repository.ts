import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Types } from 'mongoose';
import { batchesOf } from '../../core/database/models/batches.js';
import type { TenantModel } from '../../core/database/models/tenant-model.js';
import type { LeadDocument } from '../lead.schema.js';

const contactFields = [
  'clientId',
  'data.name',
  'data.email',
  'data.phoneNumber',
  'data.phoneNumber2',
] as const;

type LeadContact = Pick<LeadDocument, '_id' | 'clientId' | 'data'>;

const notEmpty = { $type: 'object', $ne: {} } as const;

/** Also matches erased leads that another program has filled or restored since. */
const unerased = [
  { erasedAt: null },
  { isDeleted: false },
  { data: notEmpty },
  { additionalData: notEmpty },
];

@Injectable()
export class LeadErasuresRepository {
  constructor(@InjectModel('Lead') private readonly leads: TenantModel<LeadDocument>) {}

  contactsOfAll(organizationId: Types.ObjectId): AsyncGenerator<LeadContact[], void> {
    return batchesOf(this.leads, { organizationId, erasedAt: null }, { fields: contactFields });
  }

  async contactsOf(
    organizationId: Types.ObjectId,
    ids: readonly Types.ObjectId[],
  ): Promise<LeadContact[]> {
    return this.leads.find({ organizationId, _id: { $in: ids } }, contactFields).lean();
  }

  /** Finds these leads, and leads of these clients unless they are erased. */
  async findWithClients(
    organizationId: Types.ObjectId,
    ids: readonly Types.ObjectId[],
    clientIds: readonly Types.ObjectId[],
    limit: number,
  ): Promise<LeadDocument[]> {
    const $or = [{ _id: { $in: ids } }, { clientId: { $in: clientIds }, erasedAt: null }];
    const sort = { isDeleted: 1, createdAt: -1 } as const;
    return this.leads.find({ organizationId, $or }, null, { sort, limit }).lean();
  }

  async findUnerased(
    organizationId: Types.ObjectId,
    ids: readonly Types.ObjectId[],
  ): Promise<LeadDocument[]> {
    const filter = { organizationId, _id: { $in: ids }, $or: unerased };
    const fields = ['leadId', 'recordSystemId', 'clientId', 'deletedAt', 'updatedAt'] as const;
    return this.leads.find(filter, fields).lean();
  }

  async findOfClients(
    organizationId: Types.ObjectId,
    clientIds: readonly Types.ObjectId[],
  ): Promise<Pick<LeadDocument, '_id' | 'clientId'>[]> {
    const filter = { organizationId, clientId: { $in: clientIds }, erasedAt: null };
    return this.leads.find(filter, ['clientId']).lean();
  }
}
