import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { INestApplicationContext } from '@nestjs/common';
import type { Types } from 'mongoose';
import { type KeyPurpose, keyPurposes } from '../../tenants/keys/permissions.js';
import { ApiKeysService } from '../../tenants/keys/api-keys.service.js';
import { CatalogueImportsService } from '../../operator/catalogue-import/catalogue-imports.service.js';
import { Clock } from '../../core/configuration/clock.js';
import { printStep } from '../../core/configuration/print-step.js';
import { OrganizationsRepository } from '../../tenants/organizations/organizations.repository.js';
import { hourMs } from '../../core/values/time.js';

/** Keys are stored nowhere, so only the first start has them. */
export interface DemoOrganization {
  readonly organizationId: Types.ObjectId;
  readonly keys: ReadonlyMap<KeyPurpose, string> | null;
}

const demoName = 'Nile Homes (demo)';
const demoRunName = 'Nile Homes (demo run)';
const maxDemoRunMs = hourMs;

/**
 * Creates the demo organization of a development database, with its catalogue and a key for each purpose (rule CONF-4).
 * It must be the only organization, and never have had a key.
 */
export async function ensureDemoOrganization(
  application: INestApplicationContext,
): Promise<DemoOrganization | null> {
  const all = await application.get(OrganizationsRepository).list();
  const lasting = all.filter((organization) => organization.name !== demoRunName);
  const demo = lasting.find((organization) => organization.name === demoName);
  if (demo === undefined && lasting.length > 0) return null;
  const known = demo === undefined ? [] : await application.get(ApiKeysService).list(demo._id);
  // Nobody has used an organization without a key: an earlier start was interrupted.
  if (demo !== undefined && (lasting.length > 1 || known.length > 0)) {
    return { organizationId: demo._id, keys: null };
  }
  printStep('Loading the demo organization with its compounds and units ...');
  const organizationId = demo?._id ?? (await addOrganization(application, demoName));
  await importCatalogue(application, organizationId);
  const keys = await issueKeys(application, organizationId, (purpose) => `Demo: ${purpose}`, null);
  return { organizationId, keys };
}

/**
 * Creates an organization for one run of the demo. After an hour, it also deletes those of earlier runs that were
 * interrupted.
 */
export async function openDemoOrganization(application: INestApplicationContext) {
  const organizations = application.get(OrganizationsRepository);
  const now = application.get(Clock).now().getTime();
  for (const { _id, name: other, createdAt } of await organizations.list()) {
    const isOver = createdAt.getTime() < now - maxDemoRunMs;
    if (isOver && other === demoRunName) await organizations.delete(_id);
  }
  const organizationId = await addOrganization(application, demoRunName);
  const end = async () => {
    const apiKeys = application.get(ApiKeysService);
    for (const key of await apiKeys.list(organizationId)) await apiKeys.revoke(key);
    await organizations.delete(organizationId);
  };
  try {
    const expiresAt = new Date(now + maxDemoRunMs);
    const keys = await issueKeys(
      application,
      organizationId,
      (purpose) => `Demo run: ${purpose}`,
      expiresAt,
    );
    await importCatalogue(application, organizationId);
    return { organizationId, keys, end };
  } catch (error) {
    await end();
    throw error;
  }
}

async function addOrganization(
  application: INestApplicationContext,
  organizationName: string,
): Promise<Types.ObjectId> {
  const fields = { logo: 'https://cdn.example.com/nile-homes.png', apiDomain: 'localhost' };
  const organizations = application.get(OrganizationsRepository);
  return (await organizations.create({ name: organizationName, ...fields }))._id;
}

async function issueKeys(
  application: INestApplicationContext,
  organizationId: Types.ObjectId,
  nameFor: (purpose: KeyPurpose) => string,
  expiresAt: Date | null,
): Promise<ReadonlyMap<KeyPurpose, string>> {
  const keys = new Map<KeyPurpose, string>();
  for (const purpose of ['everything', 'website', 'collector', 'crm'] as const) {
    const { key } = await application.get(ApiKeysService).issue({
      organizationId,
      name: nameFor(purpose),
      operations: keyPurposes[purpose].operations,
      addresses: null,
      rateLimit: null,
      expiresAt,
    });
    keys.set(purpose, key);
  }
  return keys;
}

async function importCatalogue(
  application: INestApplicationContext,
  organizationId: Types.ObjectId,
): Promise<void> {
  const imports = application.get(CatalogueImportsService);
  const catalogue = readFileSync(join(import.meta.dirname, 'catalogue.ndjson'), 'utf8');
  const { errors } = await imports.import(organizationId, catalogue);
  const [first] = errors;
  if (first === undefined) return;
  throw new Error(`The demo catalogue cannot be imported: ${first.location} ${first.message}.`);
}
