import type { Types } from 'mongoose';
import type { LeadDecision } from './lead-decision.js';
import { type ClientRecords, NotLoadedError } from '../../tenants/clients/client-records.js';
import type { Language } from '../../core/localization/language.js';
import type { Organization } from '../../tenants/organizations/organization.js';
import type { LeadDocument } from '../lead.schema.js';
import { storedPhones } from '../phones/lead-phones.js';

/** What the duplicate check reads of a lead. */
export type PhoneOwner = Pick<
  LeadDocument,
  '_id' | 'leadId' | 'data' | 'phoneKeys' | 'phoneKeysOf' | 'assignedToId'
>;

/** What was loaded for a group of lead requests. */
export interface LoadedRecords {
  readonly organization: Organization;
  /** Active leads with the external ids of the requests. */
  readonly leads: readonly LeadDocument[];
  /** Comparison keys of the phones by which leads were looked for. */
  readonly soughtPhones: ReadonlySet<string>;
  /** Leads that may have one of them. */
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
  private readonly byExternalId = new Map<string | undefined, LeadDocument>();
  /** The leads that have a phone, by its comparison key and by their ids. */
  private readonly phoneOwners = new Map<string, Map<string, PhoneOwner>>();
  /** Among the owners of which phones each lead is, by its id. */
  private readonly places = new Map<string, readonly Map<string, PhoneOwner>[]>();

  constructor(private readonly loaded: LoadedRecords) {
    this.organization = loaded.organization;
    this.clients = loaded.clients;
    for (const owner of loaded.phoneOwners) this.setPhones(owner);
    for (const lead of loaded.leads) this.set(lead);
  }

  /** The active lead with an external id. */
  findActive(recordSystemId: string | undefined): LeadDocument | null {
    return this.byExternalId.get(recordSystemId) ?? null;
  }

  /**
   * The lead with the lowest number that has a phone with this comparison key.
   *
   * @throws NotLoadedError when it was not looked for
   */
  findPhoneOwner(phoneKey: string): PhoneOwner | undefined {
    if (!this.loaded.soughtPhones.has(phoneKey)) throw new NotLoadedError();
    const owners = this.phoneOwners.get(phoneKey)?.values() ?? [];
    return [...owners].toSorted(byNumber)[0];
  }

  userName(_id: Types.ObjectId | null | undefined): string | undefined {
    return _id ? this.loaded.userNames.get(_id.toHexString()) : undefined;
  }

  /** The compounds that have a name in a language. */
  compoundsNamed(name: string, language: Language): Types.ObjectId[] {
    return this.loaded.compoundsNamed({ name, language });
  }

  /** Takes over what a request does. */
  put({ lead, client }: LeadDecision): void {
    if (client.change !== undefined) this.clients.put(client.change);
    this.set(lead);
  }

  private set(lead: LeadDocument): void {
    if (lead.recordSystemId !== undefined) this.byExternalId.set(lead.recordSystemId, lead);
    this.setPhones(lead);
  }

  private setPhones(owner: PhoneOwner): void {
    const id = owner._id.toHexString();
    for (const owners of this.places.get(id) ?? []) owners.delete(id);
    const { phoneKeys } = storedPhones(owner, this.organization.phoneCountry);
    const places = phoneKeys.map((key) => this.ownersOf(key));
    for (const owners of places) owners.set(id, owner);
    this.places.set(id, places);
  }

  private ownersOf(phoneKey: string): Map<string, PhoneOwner> {
    const known = this.phoneOwners.get(phoneKey);
    if (known !== undefined) return known;
    const owners = new Map<string, PhoneOwner>();
    this.phoneOwners.set(phoneKey, owners);
    return owners;
  }
}

/** Leads without a number are told apart by their ids. */
function byNumber(one: PhoneOwner, other: PhoneOwner): number {
  return (one.leadId ?? 0) - (other.leadId ?? 0) || Buffer.compare(one._id.id, other._id.id);
}
