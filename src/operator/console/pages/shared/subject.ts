import type { Types } from 'mongoose';
import { parseObjectId } from '../../../../core/database/documents/object-id.js';
import type { Organization } from '../../../../tenants/organizations/organization.js';
import type { OrganizationsRepository } from '../../../../tenants/organizations/organizations.repository.js';
import type { PageRequest } from '../page.js';

/** One thing of an organization. */
export interface Subject {
  readonly organization: Organization;
  readonly id: Types.ObjectId;
}

/** Whose page `/…/:organization/:id` is; null where there can be nothing of the kind. */
export async function subjectOf(
  directory: OrganizationsRepository,
  { params }: PageRequest,
): Promise<Subject | null> {
  const id = parseObjectId(params['id'] ?? '');
  const organization = await directory.findByHexId(params['organization'] ?? '');
  return id === null || organization === null ? null : { organization, id };
}
