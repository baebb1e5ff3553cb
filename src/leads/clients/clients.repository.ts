import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Types } from 'mongoose';
import { notDeleted, objectIds } from '../../core/database/documents/tenant-document.js';
import type { TenantWrite } from '../../core/database/documents/tenant-queries.js';
import { batchesOf } from '../../core/database/models/batches.js';
import { writeAll } from '../../core/database/models/bulk-writes.js';
import type { OrganizationIds, TenantModel } from '../../core/database/models/tenant-model.js';
import { caseInsensitive, caseVariants, foldCase } from '../../core/localization/fold-case.js';
import { asTexts } from '../../core/values/text.js';
import type { ClientDocument } from './client.schema.js';

export type ClientContact = Pick<ClientDocument, '_id' | 'email' | 'phoneNumbers'>;

type Ids = readonly Types.ObjectId[];

@Injectable()
export class ClientsRepository {
  constructor(@InjectModel('Client') private readonly clients: TenantModel<ClientDocument>) {}

  async findByIds(
    organizationId: Types.ObjectId,
    ids: Ids,
    filter: Partial<typeof notDeleted> = {},
  ): Promise<ClientDocument[]> {
    const known = objectIds(ids);
    if (known.length === 0) return [];
    return readable(
      await this.clients.find({ organizationId, _id: { $in: known }, ...filter }).lean(),
    );
  }

  async findByPhones(
    organizationId: Types.ObjectId,
    spellings: ReadonlySet<string>,
  ): Promise<ClientDocument[]> {
    if (spellings.size === 0) return [];
    const phoneNumbers = { $in: [...spellings] };
    return readable(
      await this.clients.find({ organizationId, phoneNumbers, ...notDeleted }).lean(),
    );
  }

  async findByEmails(
    organizationId: OrganizationIds,
    emails: readonly string[],
  ): Promise<ClientDocument[]> {
    if (emails.length === 0) return [];
    const filter = { organizationId, email: { $in: emails.flatMap(caseVariants) }, ...notDeleted };
    const collation = caseInsensitive;
    const candidates = readable(await this.clients.find(filter, null, { collation }).lean());
    const folded = new Set(emails.map(foldCase));
    return candidates.filter(({ email }) => folded.has(foldCase(email ?? '')));
  }

  /** Includes deleted clients. */
  contactsOfUnerased(organizationId: Types.ObjectId): AsyncGenerator<ClientContact[], void> {
    const options = { fields: ['email', 'phoneNumbers'] } as const;
    return batchesOf(this.clients, { organizationId, erasedAt: null }, options);
  }

  /** Returns also values of wrong types, which may be personal. */
  async findAsStored(organizationId: Types.ObjectId, ids: Ids): Promise<ClientDocument[]> {
    if (ids.length === 0) return [];
    return this.clients.aggregate([{ $match: { organizationId, _id: { $in: ids } } }]);
  }

  /** Removes fields of any name: those of other programs may be empty or contain dots and dollar signs. */
  async replaceFields(
    { organizationId, _id }: ClientDocument,
    removed: readonly string[],
    values: Partial<ClientDocument>,
  ): Promise<void> {
    const isLeft = { $not: { $in: ['$$this.k', { $literal: removed }] } };
    const left = { $filter: { input: { $objectToArray: '$$ROOT' }, cond: isLeft } };
    const $replaceWith = { $mergeObjects: [{ $arrayToObject: left }, { $literal: values }] };
    const options = { updatePipeline: true };
    await this.clients.updateOne({ organizationId, _id }, [{ $replaceWith }], options);
  }

  async write(
    organizationId: Types.ObjectId,
    writes: readonly TenantWrite<ClientDocument>[],
  ): Promise<void> {
    await writeAll(this.clients, organizationId, writes);
  }
}

/** Values of other types count as missing: a client of another program must not fail the leads of its person. */
function readable(clients: readonly ClientDocument[]): ClientDocument[] {
  const known = clients.filter(({ _id }) => _id instanceof Types.ObjectId);
  return known.map(({ name, email, phoneNumbers, createdAt, updatedAt, ...client }) => ({
    ...client,
    ...(isNullOrText(name) && { name }),
    ...(isNullOrText(email) && { email }),
    phoneNumbers: asTexts(phoneNumbers),
    createdAt: createdAt instanceof Date ? createdAt : client._id.getTimestamp(),
    updatedAt: updatedAt instanceof Date ? updatedAt : client._id.getTimestamp(),
  }));
}

function isNullOrText(value: unknown): value is string | null {
  return value === null || typeof value === 'string';
}
