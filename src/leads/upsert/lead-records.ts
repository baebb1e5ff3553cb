import type { CountryCode } from 'libphonenumber-js';
import type { Types } from 'mongoose';
import type { LeadDecision } from './lead-decision.js';
import type { ClientRecords } from '../../clients/client-records.js';
import type { Language } from '../../localization/language.js';
import type { Organization } from '../../organizations/organization.js';
import type { LeadDocument } from '../lead.schema.js';
import { derivedPhones } from '../phones/lead-phones.js';

/** What the duplicate check reads of a lead. */
export type PhoneOwner = Pick<LeadDocument, '_id' | 'leadId' | 'data' | 'assignedToId'>;

/** What was loaded for a group of lead requests. */
export interface LoadedRecords {
  readonly organization: Organization;
  /** Active leads with the external ids of the requests. */
  readonly leads: readonly LeadDocument[];
  /** Leads that may have a phone of the requests. */
  readonly phoneOwners: readonly PhoneOwner[];
  /** The names of the users to whom the owners are assigned, by the user's id. */
  readonly userNames: ReadonlyMap<string, string>;
  readonly compoundsNamed: (project: { name: string; language: Language }) => Types.ObjectId[];
  readonly clients: ClientRecords;
}

/**
 * What a group of requests may touch, as the database has it and as the requests decided so far leave
 * it: each request is decided as if those before it had been stored.
 */
export class LeadRecords {
  readonly organization: Organization;
  readonly clients: ClientRecords;
  private readonly byExternalId = new Map<string, LeadDocument>();
  private readonly phoneOwners = new Map<string, { owner: PhoneOwner; keys?: readonly string[] }>();

  constructor(private readonly loaded: LoadedRecords) {
    this.organization = loaded.organization;
    this.clients = loaded.clients;
    for (const lead of loaded.leads) this.byExternalId.set(lead.recordSystemId ?? '', lead);
    for (const owner of loaded.phoneOwners) {
      this.phoneOwners.set(owner._id.toHexString(), { owner });
    }
  }

  /** The active lead with an external id. */
  findActive(recordSystemId: string | undefined): LeadDocument | null {
    return recordSystemId === undefined ? null : (this.byExternalId.get(recordSystemId) ?? null);
  }

  /** The lead with the lowest number that has a phone with this comparison key. */
  findPhoneOwner(phoneKey: string, country: CountryCode): PhoneOwner | undefined {
    let first: PhoneOwner | undefined;
    for (const entry of this.phoneOwners.values()) {
      entry.keys ??= derivedPhones(entry.owner.data, country).phoneKeys;
      if (entry.keys.includes(phoneKey) && (first === undefined || isBefore(entry.owner, first))) {
        first = entry.owner;
      }
    }
    return first;
  }

  userName(_id: Types.ObjectId | null | undefined): string | undefined {
    return _id ? this.loaded.userNames.get(_id.toHexString()) : undefined;
  }

  /** The compounds that have a name in a language. */
  compoundsNamed(name: string, language: Language): Types.ObjectId[] {
    return this.loaded.compoundsNamed({ name, language });
  }

  /** Takes over what a request does. */
  put({ operation, lead, changes, client }: LeadDecision): void {
    if (client.change !== undefined) this.clients.put(client.change);
    if (operation === 'update' && changes.length === 0) return;
    if (lead.recordSystemId !== undefined) this.byExternalId.set(lead.recordSystemId, lead);
    this.phoneOwners.set(lead._id.toHexString(), { owner: lead });
  }
}

function isBefore(one: PhoneOwner, other: PhoneOwner): boolean {
  const difference = (one.leadId ?? 0) - (other.leadId ?? 0);
  return difference === 0 ? one._id.toHexString() < other._id.toHexString() : difference < 0;
}
