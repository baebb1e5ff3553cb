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

export interface LeadRequest {
  readonly caller: Caller;
  readonly payload: LeadPayload;
  /** `data` of the payload with its flat fields. */
  readonly data: LeadData;
}

export interface LeadDecision {
  readonly request: ChangeRequest;
  readonly operation: 'create' | 'update';
  readonly lead: LeadDocument;
  readonly changes: readonly FieldChange[];
  readonly client: ClientLink;
  readonly events: readonly PendingEvent[];
  /** Contention keys of phones and emails that nobody had before. */
  readonly lockKeys: readonly string[];
  readonly bytes: number;
}

export interface LoadedRecords {
  readonly organization: Organization;
  readonly now: Date;
  readonly leads: readonly LeadDocument[];
  readonly phoneOwners: readonly PhoneOwner[];
  readonly userNames: ReadonlyMap<string, string>;
  readonly compoundsNamed: (project: { name: string; language: Language }) => Types.ObjectId[];
  readonly clients: ClientRecords;
  readonly numbers: readonly number[];
}

export interface WrittenLead {
  readonly lead: LeadDocument;
  readonly isNew: boolean;
}

/** Loaded records with the decisions so far applied: each request sees the requests before it as stored. */
export class LeadRecords implements PendingWrites {
  readonly organization: Organization;
  readonly now: Date;
  readonly clients: ClientRecords;
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

  get lockKeys(): string[] {
    return this.decisions.flatMap(({ lockKeys }) => lockKeys);
  }

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
