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

/** A lead that a caller sends. */
export interface LeadRequest {
  readonly caller: Caller;
  readonly payload: LeadPayload;
  /** `data` of the payload with its flat fields. */
  readonly data: LeadData;
}

/** The effect of one request. */
export interface LeadDecision {
  readonly request: ChangeRequest;
  readonly operation: 'create' | 'update';
  /** The lead after the request. */
  readonly lead: LeadDocument;
  readonly changes: readonly FieldChange[];
  readonly client: ClientLink;
  readonly events: readonly PendingEvent[];
  /** Contention keys of phones and emails that nobody had before. */
  readonly claims: readonly string[];
  /** Approximate size of the stored changes. */
  readonly bytes: number;
}

/** The state that a group of requests is decided over. */
export interface LoadedRecords {
  readonly organization: Organization;
  /** The time of the transaction. */
  readonly now: Date;
  /** Active leads with the external ids of the requests. */
  readonly leads: readonly LeadDocument[];
  /** Other leads that may have a phone of the requests. */
  readonly phoneOwners: readonly PhoneOwner[];
  /** Names of the owners' users, by user id. */
  readonly userNames: ReadonlyMap<string, string>;
  readonly compoundsNamed: (project: { name: string; language: Language }) => Types.ObjectId[];
  readonly clients: ClientRecords;
  /** Numbers for new leads; empty in a dry run. */
  readonly numbers: readonly number[];
}

/** A lead that a group writes. */
export interface WrittenLead {
  readonly lead: LeadDocument;
  readonly isNew: boolean;
}

/** Loaded records with the decisions so far applied: each request sees the requests before it as stored. */
export class LeadRecords implements PendingWrites {
  readonly organization: Organization;
  readonly now: Date;
  readonly clients: ClientRecords;
  /** In the order of the requests. */
  readonly decisions: LeadDecision[] = [];
  bytes = 0;
  private readonly byExternalId = new Map<string | undefined, LeadDocument>();
  /** Leads that may have phones, by id, with the comparison keys of these. */
  private readonly owners = new Map<string, { lead: PhoneOwner; phoneKeys: readonly string[] }>();
  private readonly created = new Set<string>();

  constructor(private readonly loaded: LoadedRecords) {
    this.organization = loaded.organization;
    this.now = loaded.now;
    this.clients = loaded.clients;
    for (const owner of loaded.phoneOwners) this.setPhones(owner);
    for (const lead of loaded.leads) this.set(lead);
  }

  get locks(): string[] {
    return this.decisions.flatMap(({ claims }) => claims);
  }

  /** The number of the next new lead; undefined in a dry run. */
  get nextNumber(): number | undefined {
    return this.loaded.numbers[this.created.size];
  }

  findActive(recordSystemId: string | undefined): LeadDocument | null {
    return this.byExternalId.get(recordSystemId) ?? null;
  }

  /** The lowest-numbered lead that has a phone with this comparison key. */
  findPhoneOwner(phoneKey: string): PhoneOwner | undefined {
    const owners = [...this.owners.values()].filter(({ phoneKeys }) =>
      phoneKeys.includes(phoneKey),
    );
    return owners.map(({ lead }) => lead).toSorted(byNumber)[0];
  }

  userName(_id: Types.ObjectId | null | undefined): string | undefined {
    return _id ? this.loaded.userNames.get(_id.toHexString()) : undefined;
  }

  compoundsNamed(name: string, language: Language): Types.ObjectId[] {
    return this.loaded.compoundsNamed({ name, language });
  }

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
      const id = lead._id.toHexString();
      const isNew = this.created.has(id);
      if (isNew || changes.length > 0) written.set(id, { lead, isNew });
    }
    return [...written.values()];
  }

  private set(lead: LeadDocument): void {
    if (lead.recordSystemId !== undefined) this.byExternalId.set(lead.recordSystemId, lead);
    this.setPhones(lead);
  }

  private setPhones(lead: PhoneOwner): void {
    const { phoneKeys } = storedPhones(lead, this.organization.phoneCountry);
    this.owners.set(lead._id.toHexString(), { lead, phoneKeys });
  }
}

/** Leads without a number are ordered by id. */
function byNumber(one: PhoneOwner, other: PhoneOwner): number {
  return (one.leadId ?? 0) - (other.leadId ?? 0) || Buffer.compare(one._id.id, other._id.id);
}
