import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { ClientsService, type SoughtClient } from '../../tenants/clients/clients.service.js';
import { CompoundLookupService } from '../../compounds/compound-lookup.service.js';
import { contactOf } from '../../tenants/contacts/contact.js';
import { phoneKey, phonesOf } from '../../tenants/contacts/phone-number.js';
import { besideTransaction } from '../../core/database/transactions/open-session.js';
import type { Loaded, LoadOptions } from '../../core/writes/write-kind.js';
import type { Organization } from '../../tenants/organizations/organization.js';
import { UsersRepository } from '../../tenants/organizations/users.repository.js';
import { scalarText } from '../../core/values/scalar.js';
import type { LeadDocument } from '../lead.schema.js';
import { LeadNumbers } from '../lead-numbers.js';
import { LeadsRepository } from '../leads.repository.js';
import { storedPhones } from '../phones/lead-phones.js';
import { PhoneOwnersRepository } from '../phones/phone-owners.repository.js';
import { LeadRecords, type LeadRequest } from './lead-records.js';

/** A request, and the lead that it updates as the database has it. */
interface Update {
  readonly request: LeadRequest;
  readonly lead: LeadDocument | undefined;
}

/** Reads what a group of lead requests may touch. */
@Injectable()
export class LeadRecordsLoader {
  constructor(
    private readonly leads: LeadsRepository,
    private readonly phoneOwners: PhoneOwnersRepository,
    private readonly users: UsersRepository,
    private readonly compounds: CompoundLookupService,
    private readonly clients: ClientsService,
    private readonly numbers: LeadNumbers,
  ) {}

  /**
   * One query of a kind, however many the requests are; for fewer requests where the leads are so
   * large that the group would take too much memory.
   */
  async load(
    requests: readonly LeadRequest[],
    { now, isDryRun, earlier }: LoadOptions<LeadRecords>,
  ): Promise<Loaded<LeadRecords>> {
    // The newest request knows the newest settings.
    const organization = requests.at(-1)?.caller.organization;
    if (organization === undefined) throw new Error('There is no request to load for.');
    const { _id, phoneCountry } = organization;
    const compoundsNamed = besideTransaction(() =>
      this.compounds.idsByName(_id, projectsOf(requests)),
    );
    const { leads, count } = await this.findLeads(organization, requests);
    const byId = new Map(leads.map((lead) => [lead.recordSystemId ?? '', lead]));
    const updates = requests.slice(0, count).map((request): Update => {
      return { request, lead: byId.get(request.payload.recordSystemId ?? '') };
    });
    const numbers = isDryRun ? [] : this.numbersFor(organization, updates, earlier);
    // No request before one that is alone can have changed its client.
    const isAlone = updates.length === 1 && earlier === undefined;
    const phones = soughtPhones(organization, updates, earlier);
    // A lead of the group may have a phone, or get it, that a request sends for another one.
    const ofGroup = [...leads, ...(earlier?.decisions.map(({ lead }) => lead) ?? [])];
    const phoneOwners = await this.phoneOwners.findOwners(
      _id,
      phones,
      phoneCountry,
      ofGroup.map((lead) => lead._id),
    );
    const owners = phones.length === 0 ? [] : [...phoneOwners, ...ofGroup];
    const loaded = {
      organization,
      now,
      leads,
      phoneOwners,
      userNames: await this.users.namesOf(
        _id,
        owners.flatMap(({ assignedToId }) => assignedToId ?? []),
      ),
      clients: await this.clients.load(organization, updates.flatMap(soughtClients), { isAlone }),
      compoundsNamed: await compoundsNamed,
      numbers: await numbers,
    };
    return { records: new LeadRecords(loaded, earlier?.decisions), count };
  }

  /** Called when another program has used a number that was given to a lead. */
  skipTakenNumbers(organizationId: Types.ObjectId): Promise<void> {
    return this.numbers.skipTaken(organizationId);
  }

  /** Halves the group until its leads come in one piece; those of one request do. */
  private async findLeads({ _id }: Organization, requests: readonly LeadRequest[]) {
    for (let count = requests.length; ; count = Math.ceil(count / 2)) {
      const ids = requests.slice(0, count).flatMap(({ payload }) => payload.recordSystemId ?? []);
      const leads = await this.leads.findActiveTogether(_id, [...new Set(ids)]);
      if (leads !== null) return { leads, count };
    }
  }

  /** Numbers for the leads that may be created, taken while the rest is read. */
  private numbersFor(
    { _id }: Organization,
    updates: readonly Update[],
    earlier: LeadRecords | undefined,
  ): Promise<readonly number[]> {
    const creations = updates.flatMap(({ request: { payload }, lead }, index) => {
      const { recordSystemId } = payload;
      if (lead !== undefined || earlier?.findActive(recordSystemId)) return [];
      return recordSystemId ?? index;
    });
    const count = new Set(creations).size;
    const used = earlier?.usedNumbers ?? [];
    return besideTransaction(async () => [...used, ...(await this.numbers.next(_id, count))]);
  }
}

/** The phones that requests send and their leads do not have yet; all where a request before may change the lead. */
function soughtPhones(
  { allowConflictLeads, phoneCountry }: Organization,
  updates: readonly Update[],
  earlier: LeadRecords | undefined,
): string[] {
  if (allowConflictLeads) return [];
  const ofLeads = Map.groupBy(updates, ({ lead }) => lead);
  const phones = updates.flatMap(({ request, lead }) => {
    const sent = phonesOf(request.data);
    const isShared = earlier !== undefined || ofLeads.get(lead)?.length !== 1;
    if (lead === undefined || isShared) return sent;
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
