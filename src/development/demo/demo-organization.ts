import { setTimeout as delay } from 'node:timers/promises';
import type { INestApplicationContext } from '@nestjs/common';
import type { Types } from 'mongoose';
import { Clock } from '../../core/configuration/clock.js';
import { printStep } from '../../core/configuration/print-step.js';
import { OrganizationsRepository } from '../../tenants/organizations/organizations.repository.js';
import { hourMs } from '../../core/values/time.js';
import { isUnfinished, sandboxMarkerOf } from '../../operator/sandbox/sandbox-marker.js';
import {
  leaseMs,
  type Sandbox,
  SandboxInUseError,
  type SandboxKeys,
  SandboxesService,
} from '../../operator/sandbox/sandboxes.service.js';

/** Keys are stored nowhere, so only the first start has them, with the reservations that its examples name. */
export interface DemoOrganization extends Partial<Omit<Sandbox & SandboxKeys, 'keys'>> {
  readonly organizationId: Types.ObjectId;
  readonly keys: SandboxKeys['keys'] | null;
}

const demoName = 'Nile Homes (demo)';
const loadingStep = 'Loading the demo organization with its compounds and units ...';
const demoRunName = 'Nile Homes (demo run)';
const maxDemoRunMs = hourMs;
const retryMs = 500;

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
  const sandboxes = application.get(SandboxesService);
  if (demo === undefined) {
    if (lasting.length > 0) return null;
    printStep(loadingStep);
    return sandboxes.create({ name: demoName, url });
  }
  const known = { organizationId: demo._id, keys: null };
  // An organization that only has the name may have real records.
  if (lasting.length > 1 || !isUnfinished(demo)) return known;
  printStep(loadingStep);
  return (await whenFree(() => sandboxes.finish(demo))) ?? known;
}

/** A start that was interrupted a moment ago may have left its lease, which ends by itself. */
async function whenFree<T>(work: () => Promise<T>): Promise<T> {
  for (let waitedMs = 0; waitedMs < 2 * leaseMs; waitedMs += retryMs) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof SandboxInUseError)) throw error;
    }
    await delay(retryMs);
  }
  return work();
}

/**
 * Creates an organization for one run of the demo. After an hour, it also deletes those of earlier runs that were
 * interrupted.
 */
export async function openDemoOrganization(application: INestApplicationContext) {
  const organizations = application.get(OrganizationsRepository);
  const sandboxes = application.get(SandboxesService);
  const now = application.get(Clock).now().getTime();
  for (const other of await organizations.list()) {
    const isOver = other.createdAt.getTime() < now - maxDemoRunMs;
    const isDemoRun = other.name === demoRunName && sandboxMarkerOf(other) !== null;
    if (isOver && isDemoRun) await organizations.delete(other._id);
  }
  const keysExpireAt = new Date(now + maxDemoRunMs);
  const { organizationId, keys } = await sandboxes.create({ name: demoRunName, keysExpireAt });
  return { organizationId, keys, end: () => sandboxes.delete(organizationId) };
}
