import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { CatalogueRepository } from '../../catalogue/catalogue.repository.js';
import { Clock } from '../../core/configuration/clock.js';
import {
  includingDeleted,
  notDeleted,
  parseObjectId,
} from '../../core/database/documents/tenant-document.js';
import type { BatchOptions } from '../../core/database/documents/tenant-queries.js';
import { DomainError } from '../../core/errors/domain-error.js';
import { present } from '../../core/fields/declared-fields.js';
import {
  type Continuation,
  ListPaginator,
  pollOrder,
} from '../../core/http/responses/list-paginator.js';
import { jsonList } from '../../core/http/responses/response-streams.js';
import { Snapshots, withoutSession } from '../../core/database/transactions/sessions.js';
import { commitLagMs } from '../../core/database/transactions/transactions.js';
import { foldCase } from '../../core/localization/fold-case.js';
import { splitList } from '../../core/values/text.js';
import { emailKeyOf } from '../../tenants/contacts/contact.js';
import type { Caller } from '../../tenants/keys/caller.js';
import type { Organization } from '../../tenants/organizations/organization.js';
import { type ListedLeadDto, LeadTombstone } from '../dto/lead.dto.js';
import { leadErrors } from '../lead-errors.js';
import { LeadDocument } from '../lead.schema.js';
import { phoneConditions } from '../leads.repository.js';
import { type LeadFilter, LeadListsRepository } from './lead-lists.repository.js';
import type { ListLeadsQuery } from './list-leads.query.js';

/** Compares at most this many emails of each kind; beyond it, a search says that it is incomplete. */
const maxComparedEmails = 1_000;

export interface LeadPage {
  readonly text: AsyncGenerator<Buffer, void>;
  readonly end: Continuation;
  /** False while the email of many leads cannot be searched yet (rule LEAD-19). */
  readonly isComplete: boolean;
}

@Injectable()
export class LeadListsService {
  constructor(
    private readonly leads: LeadListsRepository,
    private readonly catalogue: CatalogueRepository,
    private readonly snapshots: Snapshots,
    private readonly clock: Clock,
  ) {}

  /**
   * Reads a page from one snapshot (rule LEAD-19): first the order of its leads, then the leads as the client takes
   * them, because each may have megabytes.
   *
   * @throws DomainError 400 for an unknown compound or an unusable cursor
   */
  async page({ organizationId, organization }: Caller, query: ListLeadsQuery): Promise<LeadPage> {
    const paginator = new ListPaginator(query, this.clock.now(), {
      name: `leads ${organizationId.toHexString()}`,
      order: (isCopy) => pollOrder(query, isCopy),
      newestChange: () => withoutSession(() => this.leads.newestChange(organizationId)),
      hasPageNumbers: false,
    });
    const email = await this.emailFilter(organizationId, query.email);
    const filter = { $and: [...email.filters, ...(await this.filtersOf(organization, query))] };
    const { after, order: sort } = paginator;
    const batches = (part: BatchOptions<LeadDocument>) =>
      this.leads.batches(organizationId, filter, { sort, after, ...part });
    const snapshot = this.snapshots.open();
    const { data, pagination, asOf } = await snapshot.run(() =>
      paginator.page({
        count: () => this.leads.count(organizationId, filter),
        batches: (part) => batches({ ...part, fields: ['updatedAt'] }),
        present: async (leads: LeadDocument[]) => leads,
      }),
    );
    const leads = data.length === 0 ? noLeads() : batches({ limit: data.length });
    const text = jsonList(presentBatches(leads), () => ({ pagination }));
    return {
      text: snapshot.stream(text),
      end: { next: pagination.next ?? null, asOf },
      isComplete: email.isComplete,
    };
  }

  private async filtersOf(
    { _id, phoneCountry }: Organization,
    query: ListLeadsQuery,
  ): Promise<LeadFilter[]> {
    const { updatedSince, includeDeleted, recordSystemId, phone, compound, leadSource } = query;
    return [
      includeDeleted === '1' ? includingDeleted : notDeleted,
      ...(updatedSince === undefined ? [] : [await this.leads.changedSince(_id, updatedSince)]),
      ...(recordSystemId === undefined ? [] : [{ recordSystemId }]),
      // An unescaped + arrives as a blank.
      ...(phone === undefined
        ? []
        : [{ $or: phoneConditions([phone.replace(/^ /, '+')], phoneCountry) }]),
      ...(compound === undefined ? [] : [await this.linkedTo(_id, splitList(compound))]),
      ...(leadSource === undefined ? [] : [{ 'data.leadSource': { $in: scalarsOf(leadSource) } }]),
    ];
  }

  private async linkedTo(
    organizationId: Types.ObjectId,
    names: readonly string[],
  ): Promise<LeadFilter> {
    const found = await this.catalogue.idsByNames('compounds', organizationId, names);
    const ids = names.map((name, index) => [parseObjectId(name) ?? [], found[index] ?? []].flat());
    const unknown = names.filter((_name, index) => ids[index]?.length === 0);
    if (unknown.length > 0) {
      const { messageKey: key } = leadErrors.unknownCompound;
      const messages = unknown.map((value) => ({ key, values: { value } }));
      throw new DomainError(leadErrors.unknownCompound, messages);
    }
    return { compoundsIds: { $in: ids.flat() } };
  }

  /** Compares the emails themselves: a key of another program's lead may be missing or of an earlier email. */
  private async emailFilter(
    organizationId: Types.ObjectId,
    email: string | undefined,
  ): Promise<{ filters: LeadFilter[]; isComplete: boolean }> {
    if (email === undefined) return { filters: [], isComplete: true };
    // No address has a blank: an unescaped + arrived as one.
    const emailKey = foldCase(email.replaceAll(' ', '+'));
    const limit = maxComparedEmails + 1;
    const since = new Date(this.clock.now().getTime() - 2 * commitLagMs);
    const changed = await this.leads.idsChangedElsewhere(organizationId, since, limit);
    const found = await Promise.all([
      this.leads.findByEmailKey(organizationId, emailKey, limit),
      this.leads.findByEmailKey(organizationId, null, limit),
      this.leads.findEmails(organizationId, changed),
    ]);
    const same = found.flat().filter(({ data }) => emailKeyOf(data) === emailKey);
    const $in = same.map(({ _id }) => _id);
    const isComplete = [changed, ...found].every((some) => some.length < limit);
    return { filters: [{ _id: { $in }, ...notDeleted }], isComplete };
  }
}

async function* presentBatches(
  batches: AsyncIterable<LeadDocument[]>,
): AsyncGenerator<ListedLeadDto[], void> {
  for await (const leads of batches) yield leads.map(presentListed);
}

async function* noLeads(): AsyncGenerator<LeadDocument[], void> {
  yield [];
}

/** `leadSource` is stored as sent and compared as text, so 5 and "5" are the same. */
function scalarsOf(text: string): (string | number | boolean)[] {
  const number = Number(text);
  const isNumber = text.trim() !== '' && String(number) === text;
  const isFlag = text === 'true' || text === 'false';
  return [text, ...(isNumber ? [number] : []), ...(isFlag ? [text === 'true'] : [])];
}

function presentListed(lead: LeadDocument): ListedLeadDto {
  return lead.isDeleted ? present(LeadTombstone, lead) : present(LeadDocument, lead);
}
