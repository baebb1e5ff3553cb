import { parseObjectId } from '../../../core/database/documents/tenant-document.js';
import type { PageRequest } from '../page.js';

/** Reads `/…/:organization/:id`; returns null without such an organization. */
export async function recordFromPath({ params, services }: PageRequest) {
  const id = parseObjectId(params['id'] ?? '');
  const organization = await services.organizations.findByHexId(params['organization'] ?? '');
  return id === null || organization === null ? null : { organization, id };
}
