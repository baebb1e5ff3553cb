import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { type RequestCaller, seesOnlyPublic } from '../../core/http/requests/request-caller.js';
import { CatalogueRepository } from '../catalogue.repository.js';
import { HiddenParts } from './hidden-parts.js';

/** Finds the parts of a catalogue that a key must not see (rule AUTH-9). */
@Injectable()
export class CatalogueVisibilityService {
  constructor(private readonly catalogue: CatalogueRepository) {}

  /** Returns null without a query for a key that sees everything. */
  async hiddenFrom(
    caller: Pick<RequestCaller, 'organizationId' | 'restrictions'>,
  ): Promise<HiddenParts | null> {
    return seesOnlyPublic(caller) ? this.hiddenParts(caller.organizationId) : null;
  }

  /** Queries run in sequence, because a snapshot allows no parallel reads. */
  async hiddenParts(organizationId: Types.ObjectId): Promise<HiddenParts> {
    const compoundIds = await this.catalogue.hiddenCompoundIds(organizationId);
    const phaseIds = await this.catalogue.phaseIdsOf(organizationId, compoundIds);
    return new HiddenParts(compoundIds, phaseIds);
  }
}
