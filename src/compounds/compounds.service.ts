import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { Caller } from '../tenants/keys/caller.js';
import { CatalogueRepository } from '../catalogue/catalogue.repository.js';
import { CompoundDocument } from '../catalogue/collections/compound.schema.js';
import { CatalogueVisibilityService } from '../catalogue/visibility/catalogue-visibility.service.js';
import {
  isPublicCompound,
  publicCompounds,
  removedItem,
} from '../catalogue/visibility/hidden-parts.js';
import { present } from '../core/fields/declared-fields.js';
import { seesOnlyPublic } from '../core/http/requests/request-caller.js';
import { Clock } from '../core/configuration/clock.js';
import { newestFirst, type SortOrder } from '../core/database/documents/keyset.js';
import { includingDeleted, notDeleted } from '../core/database/documents/tenant-document.js';
import type { BatchOptions, TenantFilter } from '../core/database/documents/tenant-queries.js';
import { jsonList } from '../core/http/responses/response-streams.js';
import {
  type Continuation,
  ListPaginator,
  type ListPage,
} from '../core/http/responses/list-paginator.js';
import { UnitsService } from '../units/reading/units.service.js';
import { compoundErrors } from './compound-errors.js';
import { DomainError } from '../core/errors/domain-error.js';
import { OrganizationsRepository } from '../tenants/organizations/organizations.repository.js';
import { CompoundsRepository } from './compounds.repository.js';
import {
  CompoundOrganization,
  type ListCompoundsQuery,
  type ListedCompound,
} from './compound.dto.js';

@Injectable()
export class CompoundsService {
  constructor(
    private readonly compounds: CompoundsRepository,
    private readonly unitsOfCompounds: UnitsService,
    private readonly catalogue: CatalogueRepository,
    private readonly visibility: CatalogueVisibilityService,
    private readonly organizations: OrganizationsRepository,
    private readonly clock: Clock,
  ) {}

  async page(caller: Caller, query: ListCompoundsQuery): Promise<ListPage<ListedCompound>> {
    const { paginator, count, batches } = await this.search(caller, query);
    return paginator.page({
      count,
      batches,
      present: (compounds) => this.present(caller, compounds),
    });
  }

  async all(
    caller: Caller,
    { page: _page, ...query }: ListCompoundsQuery,
  ): Promise<{ text: AsyncGenerator<Buffer, void>; end: Continuation }> {
    const { paginator, batches } = await this.search(caller, query);
    const end = await paginator.progress(null, 0);
    const text = jsonList(this.presentBatches(caller, batches({})), (total) => ({
      pagination: paginator.pagination(total, total, total, end),
    }));
    return { text, end };
  }

  /** @throws DomainError 404 if the compound does not exist */
  async units(caller: Caller, slug: string): Promise<AsyncGenerator<Buffer, void>> {
    const found = await this.catalogue.idsBySlugs('compounds', caller.organizationId, [slug]);
    const compoundId = found.get(slug);
    const hidden = await this.visibility.hiddenFrom(caller);
    const isHidden = (_id: Types.ObjectId) => hidden?.hides('compounds', { _id });
    if (compoundId === undefined || isHidden(compoundId)) {
      throw new DomainError(compoundErrors.notFound, { slug });
    }
    return this.unitsOfCompounds.ofCompound({ ...caller, hidden }, compoundId);
  }

  private async search(caller: Caller, query: ListCompoundsQuery) {
    const { organizationId } = caller;
    const { updatedSince, includeDeleted } = query;
    const now = this.clock.now();
    const isPublic = seesOnlyPublic(caller);
    const paginator = new ListPaginator(query, now, {
      name: `compounds ${organizationId.toHexString()}${isPublic ? ' public' : ''}`,
      order: (isCopy) => compoundOrder(updatedSince !== undefined, isCopy),
      newestChange: () => this.newestChange(caller),
    });
    const showsRemoved = updatedSince !== undefined && includeDeleted === '1';
    const filter: TenantFilter<CompoundDocument> = {
      ...(includeDeleted === '1' ? includingDeleted : notDeleted),
      ...(updatedSince === undefined ? {} : await this.changedSince(organizationId, updatedSince)),
      ...(isPublic && !showsRemoved && publicCompounds),
    };
    const { after, order: sort } = paginator;
    return {
      paginator,
      count: () => this.compounds.count(organizationId, filter),
      batches: (part: BatchOptions<CompoundDocument>) =>
        this.compounds.batches(organizationId, filter, { sort, after, ...part }),
    };
  }

  private async newestChange(caller: Caller): Promise<Date> {
    const { organizationId } = caller;
    const organization = await this.organizations.findDocument(organizationId);
    const hidden = await this.visibility.hiddenFrom(caller);
    const newest = await this.catalogue.newestChange(organizationId, ['compounds'], hidden);
    return new Date(Math.max(newest.getTime(), millisecondsOf(organization?.updatedAt)));
  }

  private async changedSince(
    organizationId: Types.ObjectId,
    since: Date,
  ): Promise<TenantFilter<CompoundDocument>> {
    const organization = await this.organizations.findDocument(organizationId);
    // An organization that never changed is in every copy already.
    const changedAt = millisecondsOf(organization?.updatedAt);
    const isUnchanged = changedAt === millisecondsOf(organization?.createdAt);
    if (changedAt >= since.getTime() && !isUnchanged) return {};
    return this.catalogue.changedSince('compounds', organizationId, since);
  }

  private async *presentBatches(
    caller: Caller,
    batches: AsyncIterable<CompoundDocument[]>,
  ): AsyncGenerator<ListedCompound[], void> {
    for await (const batch of batches) yield await this.present(caller, batch);
  }

  /** Reads the organization again, because the caller's copy may be seconds old. */
  private async present(
    caller: Caller,
    compounds: readonly CompoundDocument[],
  ): Promise<ListedCompound[]> {
    const { organizationId, language } = caller;
    const document = await this.organizations.findDocument(organizationId);
    const shown = { ...document, _id: organizationId };
    const organization = present(CompoundOrganization, shown, language);
    const isPublic = seesOnlyPublic(caller);
    return compounds.map((compound) =>
      isPublic && !isPublicCompound(compound)
        ? removedItem(compound)
        : Object.assign(present(CompoundDocument, compound, language), { organization }),
    );
  }
}

function compoundOrder(isChanges: boolean, isCopy: boolean): SortOrder {
  if (isChanges) return { updatedAt: 1, _id: 1 };
  return isCopy ? { _id: 1 } : newestFirst;
}

/** Another program may have stored no time. */
function millisecondsOf(time: unknown): number {
  return time instanceof Date ? time.getTime() : 0;
}
