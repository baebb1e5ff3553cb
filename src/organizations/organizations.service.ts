import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { Clock } from '../configuration/clock.js';
import { type Organization, toOrganization } from './organization.js';
import type { OrganizationDocument, OrganizationSettings } from './organization.schema.js';
import { OrganizationsRepository } from './organizations.repository.js';

/** What the operator decides about an organization. */
export interface OrganizationFields {
  readonly name: string;
  readonly apiDomain?: string;
  readonly logo?: string;
  readonly settings?: OrganizationSettings;
}

/** The tenants of the platform. */
@Injectable()
export class OrganizationsService {
  constructor(
    private readonly organizations: OrganizationsRepository,
    private readonly clock: Clock,
  ) {}

  /** The organization with its settings, null when it does not exist or is deleted. */
  async find(_id: Types.ObjectId): Promise<Organization | null> {
    const document = await this.organizations.findActive(_id);
    return document === null ? null : toOrganization(document);
  }

  /** The stored document, null when it does not exist or is deleted. */
  async findDocument(_id: Types.ObjectId): Promise<OrganizationDocument | null> {
    return this.organizations.findActive(_id);
  }

  /** All organizations that are not deleted, oldest first. */
  async list(): Promise<OrganizationDocument[]> {
    return this.organizations.listActive();
  }

  /** The organizations that were written since a time, by anybody, and are not deleted. */
  async listUpdatedSince(since: Date): Promise<Organization[]> {
    return (await this.organizations.listUpdatedSince(since)).map(toOrganization);
  }

  /** The ids of all organizations, deleted ones included. */
  async listAllIds(): Promise<Types.ObjectId[]> {
    return this.organizations.listAllIds();
  }

  /** Adds an organization; settings that are left out take their defaults. */
  async create(fields: OrganizationFields): Promise<OrganizationDocument> {
    const now = this.clock.now();
    const organization: OrganizationDocument = {
      _id: new Types.ObjectId(),
      name: fields.name,
      ...(fields.logo === undefined ? {} : { logo: fields.logo }),
      ...(fields.apiDomain === undefined ? {} : { apiDomain: fields.apiDomain }),
      settings: fields.settings ?? {},
      isDeleted: false,
      createdAt: now,
      updatedAt: now,
    };
    await this.organizations.insert(organization);
    return organization;
  }

  /**
   * Sets the given fields and leaves the others.
   *
   * @param fields dotted paths of the stored document, such as `settings.allowConflictLeads`
   * @returns whether there is such an organization
   */
  async update(_id: Types.ObjectId, fields: Record<string, unknown>): Promise<boolean> {
    return this.organizations.update(_id, { ...fields, updatedAt: this.clock.now() });
  }
}
