import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Collection, Filter } from 'mongodb';
import { type Model, Types } from 'mongoose';
import { Clock } from '../../core/configuration/clock.js';
import { parseObjectId } from '../../core/database/documents/tenant-document.js';
import { StoredTypes } from '../../core/database/documents/stored-types.js';
import { type Organization, toOrganization } from './organization.js';
import { type OrganizationDocument, organizationSchema } from './organization.schema.js';

const notDeleted = { isDeleted: { $ne: true } };

const types = new StoredTypes(organizationSchema, 'organizations');

@Injectable()
export class OrganizationsRepository {
  private readonly organizations: Collection<OrganizationDocument>;

  constructor(
    @InjectModel('Organization') { collection }: Model<OrganizationDocument>,
    private readonly clock: Clock,
  ) {
    this.organizations = collection as unknown as Collection<OrganizationDocument>;
  }

  async find(_id: Types.ObjectId): Promise<Organization | null> {
    const document = await this.findDocument(_id);
    return document === null ? null : toOrganization(document);
  }

  async findByHexId(id: string): Promise<Organization | null> {
    const _id = parseObjectId(id);
    return _id === null ? null : this.find(_id);
  }

  async findDocument(_id: Types.ObjectId): Promise<OrganizationDocument | null> {
    return known(await this.organizations.findOne({ _id, ...notDeleted }));
  }

  /** Without deleted ones, oldest first. */
  async list(): Promise<OrganizationDocument[]> {
    return types.read(await this.organizations.find(notDeleted).sort({ createdAt: 1 }).toArray());
  }

  /** Without deleted ones. */
  async listByName(): Promise<Organization[]> {
    const all = (await this.list()).map(toOrganization);
    return all.toSorted((a, b) => a.name.localeCompare(b.name));
  }

  /** Without deleted ones. */
  async findAll(ids: readonly Types.ObjectId[]): Promise<Organization[]> {
    return this.findKnown({ _id: { $in: [...ids] } });
  }

  /** Without deleted ones. */
  async listUpdatedSince(since: Date): Promise<Organization[]> {
    return this.findKnown({ updatedAt: { $gte: since } });
  }

  /** Deleted ones included. */
  async listAllIds(): Promise<Types.ObjectId[]> {
    return this.organizations.distinct('_id');
  }

  async create(
    fields: Pick<OrganizationDocument, 'name' | 'logo' | 'apiDomain' | 'settings'> &
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
    await this.organizations.insertOne(organization);
    return organization;
  }

  /** @param fields by paths such as `settings.allowConflictLeads`; others stay */
  async update(_id: Types.ObjectId, fields: Record<string, unknown>): Promise<void> {
    const $set = { ...fields, updatedAt: this.clock.now() };
    await this.organizations.updateOne({ _id, ...notDeleted }, { $set });
  }

  async delete(_id: Types.ObjectId): Promise<void> {
    await this.update(_id, { isDeleted: true, deletedAt: this.clock.now() });
  }

  private async findKnown(filter: Filter<OrganizationDocument>): Promise<Organization[]> {
    const found = await this.organizations.find({ ...notDeleted, ...filter }).toArray();
    return types.read(found).map(toOrganization);
  }
}

function known(document: OrganizationDocument | null): OrganizationDocument | null {
  return document === null ? null : (types.read([document])[0] ?? null);
}
