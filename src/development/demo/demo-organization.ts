import type { INestApplicationContext } from '@nestjs/common';
import type { Types } from 'mongoose';
import { ApiKeysService } from '../../tenants/keys/api-keys.service.js';
import { Clock } from '../../core/configuration/clock.js';
import { printStep } from '../../core/configuration/print-step.js';
import type { OrganizationDocument } from '../../tenants/organizations/organization.schema.js';
import { OrganizationsRepository } from '../../tenants/organizations/organizations.repository.js';
import { hourMs } from '../../core/values/time.js';
import {
  type Sandbox,
  type SandboxKeys,
  SandboxesService,
} from '../../operator/sandbox/sandboxes.service.js';

/** Keys are stored nowhere, so only the first start has them, with the reservations that its examples name. */
export interface DemoOrganization extends Partial<Omit<Sandbox & SandboxKeys, 'keys'>> {
  readonly organizationId: Types.ObjectId;
  readonly keys: SandboxKeys['keys'] | null;
}

const demoName = 'Nile Homes (demo)';
const demoRunName = 'Nile Homes (demo run)';
const maxDemoRunMs = hourMs;

/**
 * Creates the demo organization of a development database, a sandbox (rule CONF-4). It must be the only organization.
 *
 * @param url address of the service, which serves the pictures of the sandbox
 */
export async function ensureDemoOrganization(
  application: INestApplicationContext,
  url?: string,
): Promise<DemoOrganization | null> {
  const all = await application.get(OrganizationsRepository).list();
  const lasting = all.filter((organization) => organization.name !== demoRunName);
  const demo = lasting.find((organization) => organization.name === demoName);
  if (demo === undefined && lasting.length > 0) return null;
  if (demo !== undefined && (lasting.length > 1 || (await isComplete(application, demo)))) {
    return { organizationId: demo._id, keys: null };
  }
  printStep('Loading the demo organization with its compounds and units ...');
  const sandboxes = application.get(SandboxesService);
  return demo === undefined
    ? sandboxes.create({ name: demoName, url })
    : sandboxes.complete(demo, { url });
}

/** Nobody has used an organization whose creation an earlier start did not finish. */
async function isComplete(
  application: INestApplicationContext,
  { _id, sandbox }: OrganizationDocument,
): Promise<boolean> {
  if (sandbox !== undefined) return sandbox.filledAt instanceof Date;
  // Earlier versions issued the keys last.
  const keys = await application.get(ApiKeysService).list(_id);
  return keys.length > 0;
}

/**
 * Creates an organization for one run of the demo. After an hour, it also deletes those of earlier runs that were
 * interrupted.
 */
export async function openDemoOrganization(application: INestApplicationContext) {
  const organizations = application.get(OrganizationsRepository);
  const sandboxes = application.get(SandboxesService);
  const now = application.get(Clock).now().getTime();
  for (const { _id, name: other, createdAt } of await organizations.list()) {
    const isOver = createdAt.getTime() < now - maxDemoRunMs;
    if (isOver && other === demoRunName) await organizations.delete(_id);
  }
  const keysExpireAt = new Date(now + maxDemoRunMs);
  const { organizationId, keys } = await sandboxes.create({ name: demoRunName, keysExpireAt });
  return { organizationId, keys, end: () => sandboxes.delete(organizationId) };
}
