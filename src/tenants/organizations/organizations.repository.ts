import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { type Model, type QueryFilter, Types } from 'mongoose';
import { Clock } from '../../core/configuration/clock.js';
import { objectIds, parseObjectId } from '../../core/database/documents/tenant-document.js';
import { foldCase } from '../../core/localization/fold-case.js';
import { asText } from '../../core/values/text.js';
import { type Organization, toOrganization } from './organization.js';
import type { OrganizationDocument } from './organization.schema.js';

/** Lists of thousands of organizations must not need a second command. */
const maxBatch = 10_000;

const notDeleted = { isDeleted: { $ne: true } };

@Injectable()
export class OrganizationsRepository {
  constructor(
    @InjectModel('Organization') private readonly organizations: Model<OrganizationDocument>,
    private readonly clock: Clock,
  ) {}

  async find(_id: Types.ObjectId): Promise<Organization | null> {
    const [organization] = await this.findAll([_id]);
    return organization ?? null;
  }

  async findByHexId(id: string): Promise<Organization | null> {
    const _id = parseObjectId(id);
    return _id === null ? null : this.find(_id);
  }

  async findAll(ids: readonly Types.ObjectId[]): Promise<Organization[]> {
    return (await this.list({ _id: { $in: objectIds(ids) } })).map(toOrganization);
  }

  async listUpdatedSince(since: Date): Promise<Organization[]> {
    return (await this.list({ updatedAt: { $gte: since } })).map(toOrganization);
  }

  async listByName(): Promise<Organization[]> {
    const all = (await this.list()).map(toOrganization);
    return all.toSorted((a, b) => a.name.localeCompare(b.name));
  }

  async findDocument(_id: Types.ObjectId): Promise<OrganizationDocument | null> {
    const [document] = await this.list({ _id });
    return document ?? null;
  }

  /** Omits deleted organizations; returns the oldest first. */
  async list(filter: QueryFilter<OrganizationDocument> = {}): Promise<OrganizationDocument[]> {
    const options = { sort: { createdAt: 1 }, batchSize: maxBatch } as const;
    const found = await this.organizations.find({ ...filter, ...notDeleted }, null, options).lean();
    return found.filter(({ _id }) => _id instanceof Types.ObjectId);
  }

  /** Compares names in any case, and reads only the found organizations. */
  async listCalled(name: string): Promise<OrganizationDocument[]> {
    const named = await this.organizations.find(notDeleted, { name: 1 }).lean();
    const isMeant = (stored: unknown) =>
      typeof stored === 'string' && foldCase(stored) === foldCase(name);
    const ids = named.flatMap((organization) =>
      isMeant(organization.name) ? organization._id : [],
    );
    return ids.length === 0 ? [] : this.list({ _id: { $in: ids } });
  }

  /** Returns the name of each organization by id, with one command. */
  async names(): Promise<ReadonlyMap<string, string>> {
    const options = { batchSize: maxBatch };
    const found = await this.organizations.find(notDeleted, { name: 1 }, options).lean();
    return new Map(found.map(({ _id, name }) => [String(_id), asText(name)]));
  }

  /** Includes deleted organizations. */
  async listAllIds(): Promise<Types.ObjectId[]> {
    return this.organizations.distinct('_id');
  }

  async create(
    fields: Pick<OrganizationDocument, 'name' | 'logo' | 'apiDomain' | 'settings' | 'sandbox'> &
      Partial<Pick<OrganizationDocument, '_id'>>,
  ): Promise<OrganizationDocument> {
    const now = this.clock.now();
    const organization = {
      _id: new Types.ObjectId(),
      settings: {},
      ...fields,
      isDeleted: false,
      createdAt: now,
      updatedAt: now,
    };
    await this.organizations.insertMany([organization], { lean: true });
    return organization;
  }

  /** @param fields paths such as `settings.allowConflictLeads`; other fields stay */
  async update(_id: Types.ObjectId, fields: Record<string, unknown>): Promise<void> {
    const $set = { ...fields, updatedAt: this.clock.now() };
    await this.organizations.updateOne({ _id, ...notDeleted }, { $set });
  }

  async delete(_id: Types.ObjectId): Promise<void> {
    await this.update(_id, { isDeleted: true, deletedAt: this.clock.now() });
  }
}
