import type { INestApplicationContext } from '@nestjs/common';
import type { Types } from 'mongoose';
import { ApiKeysService } from '../authentication/api-keys.service.js';
import { CatalogueImportsService } from '../catalogue/import/catalogue-imports.service.js';
import { OrganizationsRepository } from '../organizations/organizations.repository.js';
import { demoCatalogue } from './demo-catalogue.js';

/** The demo organization and a new key for it. */
export interface DemoAccess {
  readonly organizationId: Types.ObjectId;
  readonly key: string;
  revoke(): Promise<void>;
}

const name = 'Nile Homes (demo)';

/**
 * Gives access to the demo organization on the first start: while there is no other organization
 * and no active key for it. Otherwise gives null.
 */
export async function openOnFirstStart(application: INestApplicationContext) {
  const [demo, ...others] = await application.get(OrganizationsRepository).list();
  if (others.length > 0 || (demo !== undefined && demo.name !== name)) return null;
  const apiKeys = application.get(ApiKeysService);
  const keys = demo === undefined ? [] : await apiKeys.list(demo._id);
  const isInUse = keys.some((key) => apiKeys.stateOf(key) === 'active');
  return isInUse ? null : openDemoOrganization(application);
}

/**
 * Finds or creates the demo organization, imports its catalogue and issues a key.
 *
 * @throws Error when the catalogue contradicts what the organization's catalogue has become
 */
export async function openDemoOrganization(
  application: INestApplicationContext,
): Promise<DemoAccess> {
  const organizations = application.get(OrganizationsRepository);
  const all = await organizations.list();
  const existing = all.find((organization) => organization.name === name);
  const { _id: organizationId } = existing ?? (await organizations.create({ name }));
  await importCatalogue(application, organizationId);
  const apiKeys = application.get(ApiKeysService);
  const issued = await apiKeys.issue({ organizationId, name: 'Demo', expiresAt: null });
  const revoke = async () => void (await apiKeys.revoke(issued.document));
  return { organizationId, key: issued.key, revoke };
}

async function importCatalogue(
  application: INestApplicationContext,
  organizationId: Types.ObjectId,
): Promise<void> {
  const imports = application.get(CatalogueImportsService);
  const { errors } = await imports.import(organizationId, demoCatalogue());
  const [first] = errors;
  if (first === undefined) return;
  throw new Error(`The demo catalogue cannot be imported: ${first.location} ${first.message}.`);
}
