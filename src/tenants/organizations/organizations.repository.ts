import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Collection, Filter } from 'mongodb';
import { type Model, Types } from 'mongoose';
import { Clock } from '../../core/configuration/clock.js';
import { parseObjectId } from '../../core/database/documents/object-id.js';
import { StoredTypes } from '../../core/database/documents/stored-types.js';
import { type Organization, toOrganization } from './organization.js';
import { type OrganizationDocument, organizationSchema } from './organization.schema.js';

const notDeleted = { isDeleted: { $ne: true } };

const types = new StoredTypes(organizationSchema, 'organizations');

/** The tenants of the platform. */
@Injectable()
export class OrganizationsRepository {
  private readonly organizations: Collection<OrganizationDocument>;

  constructor(
    @InjectModel('Organization') { collection }: Model<OrganizationDocument>,
    private readonly clock: Clock,
  ) {
    this.organizations = collection as unknown as Collection<OrganizationDocument>;
  }

  /** The organization with its settings, null when it does not exist or is deleted. */
  async find(_id: Types.ObjectId): Promise<Organization | null> {
    const document = await this.findDocument(_id);
    return document === null ? null : toOrganization(document);
  }

  /** As {@link find}, by a hexadecimal id. */
  async findByHexId(id: string): Promise<Organization | null> {
    const _id = parseObjectId(id);
    return _id === null ? null : this.find(_id);
  }

  /** The stored document, null when it does not exist or is deleted. */
  async findDocument(_id: Types.ObjectId): Promise<OrganizationDocument | null> {
    return known(await this.organizations.findOne({ _id, ...notDeleted }));
  }

  /** All organizations that are not deleted, oldest first. */
  async list(): Promise<OrganizationDocument[]> {
    return types.read(await this.organizations.find(notDeleted).sort({ createdAt: 1 }).toArray());
  }

  /** All organizations that are not deleted, by name. */
  async listByName(): Promise<Organization[]> {
    const all = (await this.list()).map(toOrganization);
    return all.toSorted((a, b) => a.name.localeCompare(b.name));
  }

  /** Those of the ids that are not deleted. */
  async findAll(ids: readonly Types.ObjectId[]): Promise<Organization[]> {
    return this.findKnown({ _id: { $in: [...ids] } });
  }

  /** The organizations that any program has written since a time and that are not deleted. */
  async listUpdatedSince(since: Date): Promise<Organization[]> {
    return this.findKnown({ updatedAt: { $gte: since } });
  }

  /** The ids of all organizations, deleted ones included. */
  async listAllIds(): Promise<Types.ObjectId[]> {
    return this.organizations.distinct('_id');
  }

  /** Adds an organization; settings that are left out take their defaults. */
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

  /**
   * Sets the given fields and leaves the others.
   *
   * @param fields dotted paths of the stored document, such as `settings.allowConflictLeads`
   */
  async update(_id: Types.ObjectId, fields: Record<string, unknown>): Promise<void> {
    const $set = { ...fields, updatedAt: this.clock.now() };
    await this.organizations.updateOne({ _id, ...notDeleted }, { $set });
  }

  /** Soft-deletes an organization: from then on none of its keys counts. */
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
