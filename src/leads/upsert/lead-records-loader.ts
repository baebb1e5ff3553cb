import { Injectable } from '@nestjs/common';
import { ClientsService, type SoughtClient } from '../../tenants/clients/clients.service.js';
import { CompoundsService } from '../../compounds/compounds.service.js';
import { contactOf } from '../../tenants/contacts/contact.js';
import { phoneKey, phonesOf } from '../../tenants/contacts/phone-number.js';
import { besideTransaction } from '../../core/database/transactions/open-session.js';
import type { Organization } from '../../tenants/organizations/organization.js';
import { UsersRepository } from '../../tenants/organizations/users.repository.js';
import { scalarText } from '../../core/values/scalar.js';
import type { LeadDocument } from '../lead.schema.js';
import { LeadsRepository } from '../leads.repository.js';
import { storedPhones } from '../phones/lead-phones.js';
import type { LeadRequest } from './lead-decision.js';
import { LeadRecords } from './lead-records.js';

/** What was read for how many requests, from the first on. */
export interface LoadedGroup {
  readonly records: LeadRecords;
  readonly count: number;
}

/** Reads what a group of lead requests may touch. */
@Injectable()
export class LeadRecordsLoader {
  constructor(
    private readonly leads: LeadsRepository,
    private readonly users: UsersRepository,
    private readonly compounds: CompoundsService,
    private readonly clients: ClientsService,
  ) {}

  /**
   * One query of a kind, however many the requests are; for fewer requests where the leads are so
   * large that the group would take too much memory.
   *
   * @param isExhaustive whether leads and clients are also looked for by the phones and emails that
   *   the lead of a request has already. That matters where requests before it in the group take
   *   them from the lead, and its decision throws `NotLoadedError` then.
   */
  async load(
    organization: Organization,
    requests: readonly LeadRequest[],
    { isExhaustive }: { readonly isExhaustive: boolean },
  ): Promise<LoadedGroup> {
    const { _id, phoneCountry } = organization;
    const compoundsNamed = besideTransaction(() =>
      this.compounds.idsByName(_id, projectsOf(requests.filter(isAccepted))),
    );
    const { leads, count } = await this.findLeads(organization, requests);
    const loaded = requests.slice(0, count).filter(isAccepted);
    const byId = new Map(leads.map((lead) => [lead.recordSystemId ?? '', lead]));
    const updates = loaded.map((request) => ({
      request,
      lead: byId.get(request.payload.recordSystemId ?? ''),
    }));
    const phones = soughtPhones(organization, updates, isExhaustive);
    const phoneOwners = await this.leads.findByPhones(_id, phones, phoneCountry);
    // A lead of the group may have a phone, or get it, that a request sends for another one.
    const owners = phones.length === 0 ? [] : [...phoneOwners, ...leads];
    const records = new LeadRecords({
      organization,
      leads,
      soughtPhones: new Set(phones.map((phone) => phoneKey(phone, phoneCountry))),
      phoneOwners,
      userNames: await this.users.namesOf(
        _id,
        owners.flatMap(({ assignedToId }) => assignedToId ?? []),
      ),
      clients: await this.clients.load(organization, updates.flatMap(soughtClients), {
        isExhaustive,
      }),
      compoundsNamed: await compoundsNamed,
    });
    return { records, count };
  }

  /** Halves the group until its leads come in one piece; those of one request do. */
  private async findLeads({ _id }: Organization, requests: readonly LeadRequest[]) {
    for (let count = requests.length; ; count = Math.ceil(count / 2)) {
      const ids = requests.slice(0, count).flatMap(({ payload }) => payload.recordSystemId ?? []);
      const leads = await this.leads.findActiveInBatch(_id, [...new Set(ids)]);
      if (leads !== null) return { leads, count };
    }
  }
}

/** Whether it has not been refused: what one needs that was may be why. */
function isAccepted({ refusal }: LeadRequest): boolean {
  return refusal === undefined;
}

/** A request, and the lead that it updates as the database has it. */
interface Update {
  readonly request: LeadRequest;
  readonly lead: LeadDocument | undefined;
}

/** The phones that requests send and their leads do not have yet. */
function soughtPhones(
  { allowConflictLeads, phoneCountry }: Organization,
  updates: readonly Update[],
  isExhaustive: boolean,
): string[] {
  if (allowConflictLeads) return [];
  const phones = updates.flatMap(({ request, lead }) => {
    const sent = phonesOf(request.data);
    if (lead === undefined || isExhaustive) return sent;
    const own = storedPhones(lead, phoneCountry).phoneKeys;
    return sent.filter((phone) => !own.includes(phoneKey(phone, phoneCountry)));
  });
  return [...new Set(phones)];
}

/** A lead without a client is matched by what it had before, too. */
function soughtClients({ request, lead }: Update): SoughtClient[] {
  const sent = { clientId: lead?.clientId, contact: contactOf(request.data) };
  return lead?.clientId ? [sent] : [sent, { contact: contactOf(lead?.data ?? {}) }];
}

function projectsOf(requests: readonly LeadRequest[]) {
  return requests
    .map(({ caller: { language }, data }) => ({ name: scalarText(data['project']), language }))
    .filter(({ name }) => name !== '');
}
