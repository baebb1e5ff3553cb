import { Injectable } from '@nestjs/common';
import { ClientsService } from '../../clients/clients.service.js';
import { CompoundsService } from '../../compounds/compounds.service.js';
import { type Contact, contactOf } from '../../contacts/contact.js';
import { phonesOf } from '../../contacts/phone-number.js';
import type { Organization } from '../../organizations/organization.js';
import { UsersRepository } from '../../organizations/users.repository.js';
import { scalarText } from '../../values/scalar.js';
import { requestData } from '../lead-merge.js';
import type { LeadDocument } from '../lead.schema.js';
import { LeadsRepository } from '../leads.repository.js';
import type { LeadRequest } from './lead-decision.js';
import { LeadRecords, type PhoneOwner } from './lead-records.js';

/** Reads what a group of lead requests may touch. */
@Injectable()
export class LeadRecordsLoader {
  constructor(
    private readonly leads: LeadsRepository,
    private readonly users: UsersRepository,
    private readonly compounds: CompoundsService,
    private readonly clients: ClientsService,
  ) {}

  /** One query of a kind, however many the requests are. */
  async load(organization: Organization, requests: readonly LeadRequest[]): Promise<LeadRecords> {
    const { _id } = organization;
    const ids = new Set(requests.flatMap(({ payload }) => payload.recordSystemId ?? []));
    const leads = await this.leads.findActive(_id, [...ids]);
    const phoneOwners = await this.phoneOwners(organization, requests, leads);
    // A lead of the group may get a phone that a later request of it sends.
    const owners = requests.length === 1 ? phoneOwners : [...phoneOwners, ...leads];
    const assignees = owners.flatMap(({ assignedToId }) => assignedToId ?? []);
    return new LeadRecords({
      organization,
      leads,
      phoneOwners,
      userNames: await this.users.namesOf(_id, assignees),
      compoundsNamed: await this.compounds.idsByName(_id, projectsOf(requests)),
      clients: await this.clients.load(
        organization,
        contactsOf(requests, leads),
        leads.flatMap(({ clientId }) => clientId ?? []),
      ),
    });
  }

  private async phoneOwners(
    { _id, allowConflictLeads, phoneCountry }: Organization,
    requests: readonly LeadRequest[],
    leads: readonly LeadDocument[],
  ): Promise<PhoneOwner[]> {
    if (allowConflictLeads) return [];
    const phones = new Set(requests.flatMap(({ payload }) => phonesOf(requestData(payload))));
    // In a larger group an earlier request may take a lead's own phone from it.
    if (requests.length === 1) for (const phone of phonesOf(leads[0]?.data)) phones.delete(phone);
    return this.leads.findByPhones(_id, [...phones], phoneCountry);
  }
}

/** The contacts that a client may be looked for by: with what the leads had before. */
function contactsOf(
  requests: readonly LeadRequest[],
  leads: readonly LeadDocument[],
): readonly Contact[] {
  const unlinked = leads.filter(({ clientId }) => !clientId).map(({ data }) => data ?? {});
  return [...requests.map(({ payload }) => requestData(payload)), ...unlinked].map(contactOf);
}

function projectsOf(requests: readonly LeadRequest[]) {
  return requests
    .map(({ language, payload }) => ({
      name: scalarText(requestData(payload)['project']),
      language,
    }))
    .filter(({ name }) => name !== '');
}
