import { Injectable } from '@nestjs/common';
import { BSON } from 'mongodb';
import { CatalogueRepository } from '../../catalogue/catalogue.repository.js';
import { readOutsideTransaction } from '../../core/database/transactions/sessions.js';
import { Transactions } from '../../core/database/transactions/transactions.js';
import { mebibyte } from '../../core/values/numbers.js';
import { scalarText } from '../../core/values/json.js';
import { Outbox } from '../../events/outbox/outbox.js';
import { ChangeLogRepository } from '../../tenants/change-log/change-log.repository.js';
import { ClientsService, type ClientLookup } from '../clients/clients.service.js';
import { contactOf } from '../../tenants/contacts/contact.js';
import { phoneKeys, phonesOf } from '../../tenants/contacts/phone-number.js';
import type { Caller } from '../../tenants/keys/caller.js';
import type { Organization } from '../../tenants/organizations/organization.js';
import { UsersRepository } from '../../tenants/organizations/users.repository.js';
import { leadLogEntry, leadEvent } from '../lead-changes.js';
import type { LeadDocument } from '../lead.schema.js';
import { LeadsRepository } from '../leads.repository.js';
import { currentPhoneKeys } from '../phones/lead-phones.js';
import { LeadWorkingSet, type LeadRequest } from './lead-working-set.js';

const maxLeadBytes = 16 * mebibyte;
/** A lead takes about 4 MiB at most (rule LEAD-13). */
const maxLeadsUnmeasured = 4;

interface MatchedRequest {
  readonly request: LeadRequest;
  readonly lead: LeadDocument | undefined;
}

interface LoadOptions {
  readonly now: Date;
  readonly isDryRun?: boolean;
}

/** Loads and stores all that the upserts of an organization's leads touch. */
@Injectable()
export class LeadWorkingSetService {
  constructor(
    private readonly leads: LeadsRepository,
    private readonly users: UsersRepository,
    private readonly catalogue: CatalogueRepository,
    private readonly clients: ClientsService,
    private readonly changeLog: ChangeLogRepository,
    private readonly outbox: Outbox,
    private readonly transactions: Transactions,
  ) {}

  /** Queries each collection once. The working set covers the first `count` requests: fewer if their leads are large. */
  async load(
    requests: readonly LeadRequest[],
    { now, isDryRun = false }: LoadOptions,
  ): Promise<{ readonly workingSet: LeadWorkingSet; readonly count: number }> {
    // The newest request has the newest settings.
    const organization = requests.at(-1)?.caller.organization;
    if (organization === undefined) throw new Error('No request to load.');
    const { _id, phoneCountry } = organization;
    const compoundsNamed = readOutsideTransaction(() =>
      this.catalogue.findCompoundsByName(_id, projectsOf(requests)),
    );
    const { leads, count } = await this.findLeads(organization, requests);
    const byId = new Map(leads.map((lead) => [lead.recordSystemId ?? '', lead]));
    const updates = requests.slice(0, count).map((request): MatchedRequest => {
      return { request, lead: byId.get(request.payload.recordSystemId ?? '') };
    });
    const numbers = isDryRun ? [] : this.numbersFor(organization, updates);
    // A single request's client cannot change before its decision.
    const isAlone = updates.length === 1;
    const phones = phonesToCheck(organization, updates);
    const phoneOwners = await this.leads.findOwners(
      _id,
      phones,
      phoneCountry,
      leads.map((lead) => lead._id),
    );
    const owners = phones.length === 0 ? [] : [...phoneOwners, ...leads];
    const loaded = {
      organization,
      now,
      leads,
      phoneOwners,
      userNames: await this.users.namesOf(
        _id,
        owners.flatMap(({ assignedToId }) => assignedToId ?? []),
      ),
      clients: await this.clients.load(organization, updates.map(clientToFind), { isAlone }),
      compoundsNamed: await compoundsNamed,
      numbers: await numbers,
    };
    return { workingSet: new LeadWorkingSet(loaded), count };
  }

  /** Uses one command per collection (rule LEAD-11). */
  async store(workingSet: LeadWorkingSet): Promise<void> {
    const { decisions, lockKeys, now } = workingSet;
    const { _id: organizationId } = workingSet.organization;
    const entries = decisions.map(({ entry }) => entry);
    await this.transactions.lock(organizationId, lockKeys, now);
    await this.leads.write(organizationId, workingSet.writes());
    await this.clients.store(organizationId, workingSet.clients.changes());
    await this.changeLog.addLeadChanges(organizationId, entries, now);
    await this.outbox.store(decisions.flatMap(({ events }) => events));
  }

  /** Skips numbers that another program has used. */
  async onDuplicateKey(
    index: string,
    { organizationId }: Pick<Caller, 'organizationId'>,
  ): Promise<void> {
    if (index === 'leadId') await this.leads.skipTakenNumbers(organizationId);
  }

  /** Deletes softly, with the entry and the event of the deletion. */
  async delete(lead: LeadDocument, caller: Caller, now: Date): Promise<void> {
    const { _id, organizationId } = lead;
    const fields = { isDeleted: true, deletedAt: now, updatedAt: now };
    await this.leads.write(organizationId, [{ _id, fields }]);
    const changes = [{ field: 'isDeleted', from: false, to: true }];
    const entry = leadLogEntry('delete', lead, changes, caller);
    await this.changeLog.addLeadChanges(organizationId, [entry], now);
    const event = leadEvent('delete', lead, changes, caller.requestId);
    await this.outbox.publish(organizationId, [event], now);
  }

  /** Reads all leads together; if they exceed 16 MiB, reads those of the first requests one by one. */
  private async findLeads({ _id }: Organization, requests: readonly LeadRequest[]) {
    const ids = requests.flatMap(({ payload }) => payload.recordSystemId ?? []);
    const distinctIds = [...new Set(ids)];
    const isLarge =
      distinctIds.length > maxLeadsUnmeasured &&
      (await this.leads.sizeOfActive(_id, distinctIds)) > maxLeadBytes;
    if (!isLarge) {
      return { leads: await this.leads.findAllActive(_id, distinctIds), count: requests.length };
    }
    const leads = new Map<string, LeadDocument>();
    let bytes = 0;
    for (const [count, { payload }] of requests.entries()) {
      const { recordSystemId: id } = payload;
      if (id === undefined || leads.has(id)) continue;
      const lead = await this.leads.findActive(_id, id);
      if (lead === null) continue;
      bytes += BSON.calculateObjectSize(lead);
      if (bytes > maxLeadBytes && leads.size > 0) return { leads: [...leads.values()], count };
      leads.set(id, lead);
    }
    return { leads: [...leads.values()], count: requests.length };
  }

  private numbersFor(
    { _id }: Organization,
    updates: readonly MatchedRequest[],
  ): Promise<readonly number[]> {
    const creations = updates.flatMap(({ request, lead }, index) =>
      lead === undefined && request.refusal === undefined
        ? (request.payload.recordSystemId ?? index)
        : [],
    );
    return readOutsideTransaction(() => this.leads.reserveNumbers(_id, new Set(creations).size));
  }
}

/** Returns sent phones that are new to their leads, or all phones if several requests are about one lead. */
function phonesToCheck(
  { allowConflictLeads, phoneCountry }: Organization,
  updates: readonly MatchedRequest[],
): string[] {
  if (allowConflictLeads) return [];
  const byLead = Map.groupBy(updates, ({ lead }) => lead);
  const phones = updates.flatMap(({ request, lead }) => {
    const sent = phonesOf(request.data);
    if (lead === undefined || byLead.get(lead)?.length !== 1) return sent;
    const own = currentPhoneKeys(lead, phoneCountry).phoneKeys;
    return sent.filter((phone) => phoneKeys(phone, phoneCountry).some((key) => !own.includes(key)));
  });
  return [...new Set(phones)];
}

function clientToFind({ request, lead }: MatchedRequest): ClientLookup {
  const [sent, stored] = [contactOf(request.data), contactOf(lead?.data ?? {})];
  return { clientId: lead?.clientId, sent, stored };
}

function projectsOf(requests: readonly LeadRequest[]) {
  return requests
    .map(({ caller: { language }, data }) => ({ name: scalarText(data['project']), language }))
    .filter(({ name }) => name !== '');
}
