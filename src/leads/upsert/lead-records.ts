import type { Types } from 'mongoose';
import type { PendingWrites } from '../../core/writes/write-kind.js';
import type { Language } from '../../core/localization/language.js';
import type { Caller } from '../../tenants/keys/caller.js';
import type { FieldChange } from '../../tenants/change-log/field-changes.js';
import type { PendingEvent } from '../../events/outbox/pending-event.js';
import type { ClientLink } from '../../tenants/clients/client-link.js';
import type { ClientRecords } from '../../tenants/clients/client-records.js';
import type { Organization } from '../../tenants/organizations/organization.js';
import type { ChangeRequest } from '../lead-changes.js';
import type { LeadPayload } from '../lead-merge.js';
import type { LeadData, LeadDocument } from '../lead.schema.js';
import { storedPhones } from '../phones/lead-phones.js';
import type { PhoneOwner } from '../phones/phone-owners.repository.js';

/** One lead that is sent. */
export interface LeadRequest {
  readonly caller: Caller;
  readonly payload: LeadPayload;
  /** What the payload says of `data`. */
  readonly data: LeadData;
}

/** What one request does. */
export interface LeadDecision {
  readonly request: ChangeRequest;
  readonly operation: 'create' | 'update';
  /** The lead as the request leaves it. */
  readonly lead: LeadDocument;
  readonly changes: readonly FieldChange[];
  readonly client: ClientLink;
  readonly events: readonly PendingEvent[];
  /** Contention keys of what nobody had before, as far as is known: two may not get it at once. */
  readonly claims: readonly string[];
  /** About how much is stored. */
  readonly bytes: number;
}

/** What was loaded for a group of lead requests. */
export interface LoadedRecords {
  readonly organization: Organization;
  /** The time of the transaction. */
  readonly now: Date;
  /** Active leads with the external ids of the requests. */
  readonly leads: readonly LeadDocument[];
  /** Other leads that may have a phone of the requests. */
  readonly phoneOwners: readonly PhoneOwner[];
  /** The names of the users to whom the owners are assigned, by the user's id. */
  readonly userNames: ReadonlyMap<string, string>;
  readonly compoundsNamed: (project: { name: string; language: Language }) => Types.ObjectId[];
  readonly clients: ClientRecords;
  /** The numbers of the leads that may be created; empty when nothing is stored. */
  readonly numbers: readonly number[];
}

/** A lead that a group writes. */
export interface WrittenLead {
  readonly lead: LeadDocument;
  readonly isNew: boolean;
}

/**
 * What a group of requests may touch, as the database has it and as the requests decided so far leave
 * it: each request is decided as if those before it had been stored.
 */
export class LeadRecords implements PendingWrites {
  readonly organization: Organization;
  readonly now: Date;
  readonly clients: ClientRecords;
  /** In the order of the requests. */
  readonly decisions: LeadDecision[] = [];
  bytes = 0;
  private readonly byExternalId = new Map<string | undefined, LeadDocument>();
  /** The leads that have a phone, by its comparison key and by their ids. */
  private readonly phoneOwners = new Map<string, Map<string, PhoneOwner>>();
  /** Among the owners of which phones each lead is, by its id. */
  private readonly places = new Map<string, readonly Map<string, PhoneOwner>[]>();
  private readonly created = new Set<string>();

  /** @param earlier decisions of the same transaction, which are not stored yet */
  constructor(
    private readonly loaded: LoadedRecords,
    earlier: readonly LeadDecision[] = [],
  ) {
    this.organization = loaded.organization;
    this.now = loaded.now;
    this.clients = loaded.clients;
    for (const owner of loaded.phoneOwners) this.setPhones(owner);
    for (const lead of loaded.leads) this.set(lead);
    for (const decision of earlier) this.put(decision);
  }

  get locks(): string[] {
    return this.decisions.flatMap(({ claims }) => claims);
  }

  /** The number of the next lead that is created; undefined when nothing is stored. */
  get nextNumber(): number | undefined {
    return this.loaded.numbers[this.created.size];
  }

  get usedNumbers(): readonly number[] {
    return this.loaded.numbers.slice(0, this.created.size);
  }

  /** The active lead with an external id. */
  findActive(recordSystemId: string | undefined): LeadDocument | null {
    return this.byExternalId.get(recordSystemId) ?? null;
  }

  /** The lead with the lowest number that has a phone with this comparison key. */
  findPhoneOwner(phoneKey: string): PhoneOwner | undefined {
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

  /** Whether a lead was created by one of the decisions. */
  isNew({ _id }: LeadDocument): boolean {
    return this.created.has(_id.toHexString());
  }

  /** Takes over what a request does. */
  put(decision: LeadDecision): void {
    const { lead, client, operation, bytes } = decision;
    if (operation === 'create') this.created.add(lead._id.toHexString());
    if (client.change !== undefined) this.clients.put(client.change);
    this.set(lead);
    this.decisions.push(decision);
    this.bytes += bytes;
  }

  /** The last state of each lead that was created or changed. */
  written(): WrittenLead[] {
    const written = new Map<string, WrittenLead>();
    for (const { lead, changes } of this.decisions) {
      const isNew = this.isNew(lead);
      if (isNew || changes.length > 0) written.set(lead._id.toHexString(), { lead, isNew });
    }
    return [...written.values()];
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
