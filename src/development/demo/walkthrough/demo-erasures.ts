import type { INestApplicationContext } from '@nestjs/common';
import type { Types } from 'mongoose';
import { ErasuresService } from '../../../operator/erasure/erasures.service.js';
import { OrganizationsRepository } from '../../../tenants/organizations/organizations.repository.js';
import type { Forget } from './demo-run.js';

/** Erases leads of an organization, as `lead erase` does. */
export function demoErasures(
  application: INestApplicationContext,
  organizationId: Types.ObjectId,
): Forget {
  const erasures = application.get(ErasuresService);
  return async (recordSystemId) => {
    const organization = await application.get(OrganizationsRepository).find(organizationId);
    if (organization === null) throw new Error('The organization of the demo is gone.');
    const leadIds = await erasures.leadsOf(organization, recordSystemId);
    const { counts } = await erasures.erase(organization, leadIds);
    return { ...counts };
  };
}
