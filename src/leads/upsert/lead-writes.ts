import { Injectable } from '@nestjs/common';
import { BSON } from 'mongodb';
import type { Types } from 'mongoose';
import { CatalogueRepository } from '../../catalogue/catalogue.repository.js';
import { readOutsideTransaction } from '../../core/database/transactions/sessions.js';
import { type UpsertResponse, upsertResponse } from '../../core/http/reference/endpoint.js';
import { isPermitted } from '../../core/http/request-caller.js';
import { mebibyte } from '../../core/values/numbers.js';
import { scalarText } from '../../core/values/json.js';
import type {
  DecidedRequest,
  LoadedRecords,
  LoadOptions,
  WriteHandler,
} from '../../core/writes/write-handler.js';
import { Outbox } from '../../events/outbox/outbox.js';
import { ChangeLogRepository } from '../../tenants/change-log/change-log.repository.js';
import { ClientsService, type ClientLookup } from '../../tenants/clients/clients.service.js';
import { contactOf } from '../../tenants/contacts/contact.js';
import { phoneKeys, phonesOf } from '../../tenants/contacts/phone-number.js';
import type { Organization } from '../../tenants/organizations/organization.js';
import { UsersRepository } from '../../tenants/organizations/users.repository.js';
import type { LeadUpsertResponseDto } from '../dto/lead.dto.js';
import type { LeadDocument } from '../lead.schema.js';
import { LeadsRepository } from '../leads.repository.js';
import { currentPhoneKeys } from '../phones/lead-phones.js';
import { decideLead } from './lead-decision.js';
import { presentUpserted } from './lead-presenter.js';
import { type LeadDecision, LeadRecords, type LeadRequest } from './lead-records.js';

const maxLeadBytes = 16 * mebibyte;

export interface LeadUpsertResult extends UpsertResponse<LeadUpsertResponseDto> {
  readonly isProjectUnmatched: boolean;
}

interface MatchedRequest {
  readonly request: LeadRequest;
  readonly lead: LeadDocument | undefined;
}

@Injectable()
export class LeadWrites implements WriteHandler<
  LeadRequest,
  LeadRecords,
  LeadDecision,
  LeadUpsertResult
> {
  readonly name = 'lead';

  constructor(
    private readonly leads: LeadsRepository,
    private readonly users: UsersRepository,
    private readonly catalogue: CatalogueRepository,
    private readonly clients: ClientsService,
    private readonly changeLog: ChangeLogRepository,
    private readonly outbox: Outbox,
  ) {}

  /** Queries each collection once for all requests. Loads fewer requests if their leads are large. */
  async load(
    requests: readonly LeadRequest[],
    { now, isDryRun }: LoadOptions,
  ): Promise<LoadedRecords<LeadRecords>> {
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
    return { records: new LeadRecords(loaded), count };
  }

  decide(records: LeadRecords, request: LeadRequest): LeadDecision {
    if (request.refusal !== undefined) throw request.refusal;
    const decision = decideLead(records, request);
    records.put(decision);
    return decision;
  }

  /** Uses one command per collection (rule LEAD-11). */
  async store(records: LeadRecords, organizationId: Types.ObjectId): Promise<void> {
    const { decisions, now } = records;
    const entries = decisions.map(({ entry }) => entry);
    await this.leads.write(organizationId, records.writes());
    await this.clients.store(organizationId, records.clients.changes());
    await this.changeLog.addLeadChanges(organizationId, entries, now);
    await this.outbox.store(decisions.flatMap(({ events }) => events));
  }

  respond(decided: readonly DecidedRequest<LeadRequest, LeadDecision>[]): LeadUpsertResult[] {
    return decided.map(
      ({ request, decision: { operation, lead: document, isProjectUnmatched } }) => {
        const lead = presentUpserted(request, document);
        const response = upsertResponse(operation, { lead, newLead: lead });
        // Other keys must not learn which compounds exist (rule LEAD-8).
        const isShown = isProjectUnmatched && isPermitted(request.caller, 'catalogue.read');
        const headers = isShown ? { 'x-unmatched-project': 'true' } : {};
        return { ...response, headers, isProjectUnmatched };
      },
    );
  }

  async onDuplicateKey(index: string, { caller }: LeadRequest): Promise<void> {
    if (index === 'leadId') await this.leads.skipTakenNumbers(caller.organizationId);
  }

  /** Reads all leads together; if they exceed 16 MiB, reads those of the first requests one by one. */
  private async findLeads({ _id }: Organization, requests: readonly LeadRequest[]) {
    const ids = requests.flatMap(({ payload }) => payload.recordSystemId ?? []);
    const together = await this.leads.findAllActive(_id, [...new Set(ids)], maxLeadBytes);
    if (together !== null) return { leads: together, count: requests.length };
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
