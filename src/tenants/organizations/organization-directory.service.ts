import { Injectable } from '@nestjs/common';
import { parseObjectId } from '../../core/database/documents/object-id.js';
import { foldCase } from '../../core/localization/fold-case.js';
import { type Organization, toOrganization } from './organization.js';
import { OrganizationsRepository } from './organizations.repository.js';

/** Organizations as the operator finds them. */
@Injectable()
export class OrganizationDirectoryService {
  constructor(private readonly organizations: OrganizationsRepository) {}

  /** All organizations that are not deleted, by name. */
  async list(): Promise<Organization[]> {
    const all = (await this.organizations.list()).map(toOrganization);
    return all.toSorted((a, b) => a.name.localeCompare(b.name));
  }

  /** The organization of an id in hexadecimal, null when there is none. */
  async find(id: string): Promise<Organization | null> {
    const _id = parseObjectId(id);
    return _id === null ? null : this.organizations.find(_id);
  }
}

/**
 * Which organizations a text means: the one whose id it ends with, else those of which it is a part of
 * the name, in any case; none when it says nothing.
 */
export function organizationsMeant(
  organizations: readonly Organization[],
  text: string,
): readonly Organization[] {
  const sought = foldCase(text.trim());
  if (sought === '') return [];
  const [id] = /[0-9a-f]{24}$/.exec(sought) ?? [];
  const named = organizations.filter(({ _id }) => _id.toHexString() === id);
  return named.length > 0
    ? named
    : organizations.filter(({ name }) => foldCase(name).includes(sought));
}
