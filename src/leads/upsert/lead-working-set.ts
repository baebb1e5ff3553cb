import { Types } from 'mongoose';
import { byReference } from '../../core/database/models/by-reference.js';
import type { TenantWrite } from '../../core/database/documents/tenant-queries.js';
import type { Language } from '../../core/localization/language.js';
import type { PendingEvent } from '../../events/outbox/outbox.js';
import type { LeadChange } from '../../tenants/change-log/change-log.repository.js';
import type { ClientLink, ClientWorkingSet } from '../clients/client-link.js';
import type { Caller } from '../../tenants/keys/caller.js';
import type { Organization } from '../../tenants/organizations/organization.js';
import type { LeadPayload } from '../lead-merge.js';
import type { LeadData, LeadDocument } from '../lead.schema.js';
import type { PhoneOwner } from '../leads.repository.js';
import { currentPhoneKeys } from '../phones/lead-phones.js';
export interface LeadRequest {
  readonly caller: Caller;
  readonly payload: LeadPayload;
  /** Includes the flat fields. */
  readonly data: LeadData;
  /** Set when the request was refused before a decision. */
  readonly refusal?: Error;
}

export interface LeadDecision {
  readonly operation: 'create' | 'update';
  readonly lead: LeadDocument;
  readonly entry: LeadChange;
  readonly client: ClientLink;
  /** The request has a project that is no compound's name. */
  readonly isProjectUnmatched: boolean;
  readonly events: readonly PendingEvent[];
  /** Lock keys of phones and emails that had no owner before. */
  readonly lockKeys: readonly string[];
  readonly bytes: number;
}

export interface LoadedLeads {
  readonly organization: Organization;
  readonly now: Date;
  readonly leads: readonly LeadDocument[];
  readonly phoneOwners: readonly PhoneOwner[];
  readonly userNames: ReadonlyMap<string, string>;
  readonly compoundsNamed: (project: { name: string; language: Language }) => Types.ObjectId[];
  readonly clients: ClientWorkingSet;
  readonly numbers: readonly number[];
}

/** Applies decisions as they are made: each request sees earlier requests as stored. */
export class LeadWorkingSet {
  readonly organization: Organization;
  readonly now: Date;
  readonly clients: ClientWorkingSet;
  readonly decisions: LeadDecision[] = [];
  /** Size of the changes so far. */
  bytes = 0;
  private readonly byExternalId = new Map<string | undefined, LeadDocument>();
  /** Leads that may own a sent phone, by id, with the comparison keys of their own phones. */
  private readonly owners = new Map<string, { lead: PhoneOwner; phoneKeys: readonly string[] }>();
  private readonly created = new Set<string>();

  constructor(private readonly loaded: LoadedLeads) {
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

  /** Returns the lowest-numbered owner of a comparison key. */
  findPhoneOwner(key: string): PhoneOwner | undefined {
    const owners = [...this.owners.values()].filter(({ phoneKeys }) => phoneKeys.includes(key));
    return owners.map(({ lead }) => lead).toSorted(byNumber)[0];
  }

  userName(_id: Types.ObjectId | null | undefined): string | undefined {
    return _id ? this.loaded.userNames.get(String(_id)) : undefined;
  }

  compoundsNamed(name: string, language: Language): Types.ObjectId[] {
    return this.loaded.compoundsNamed({ name, language });
  }

  put(decision: LeadDecision): void {
    const { lead, client, operation, bytes } = decision;
    if (operation === 'create') this.created.add(lead._id.toHexString());
    if (client.change !== undefined) this.clients.record(client.change);
    this.set(lead);
    this.decisions.push(decision);
    this.bytes += bytes;
  }

  writes(): TenantWrite<LeadDocument>[] {
    const writes = new Map<string, TenantWrite<LeadDocument>>();
    for (const { lead, entry } of this.decisions) {
      const id = lead._id.toHexString();
      const isNew = this.created.has(id);
      if (!isNew && entry.changes.length === 0) continue;
      writes.set(id, isNew ? { insert: withKeyTime(lead) } : updateOf(withKeyTime(lead)));
    }
    return [...writes.values()];
  }

  private set(lead: LeadDocument): void {
    if (lead.recordSystemId !== undefined) this.byExternalId.set(lead.recordSystemId, lead);
    this.setPhones(lead);
  }

  private setPhones(lead: PhoneOwner): void {
    const { phoneKeys } = currentPhoneKeys(lead, this.organization.phoneCountry);
    this.owners.set(String(lead._id), { lead, phoneKeys });
  }
}

function withKeyTime(lead: LeadDocument): LeadDocument {
  return { ...lead, phoneKeysAt: lead.updatedAt };
}

/** Writes only what a request decides: other fields keep values of other programs. */
function updateOf({ _id, ...lead }: LeadDocument): TenantWrite<LeadDocument> {
  const { data, additionalData, compoundsIds, clientId, updatedAt } = lead;
  const { phoneKeys, phoneKeysOf, phoneKeysAt, emailKey } = lead;
  const contactKeys = { phoneKeys, phoneKeysOf, phoneKeysAt, emailKey };
  const freeForm = { data: byReference(data), additionalData: byReference(additionalData) };
  return { _id, fields: { ...freeForm, compoundsIds, clientId, ...contactKeys, updatedAt } };
}

/** Leads without a number come first, sorted by id. */
function byNumber(one: PhoneOwner, other: PhoneOwner): number {
  return (one.leadId ?? 0) - (other.leadId ?? 0) || Buffer.compare(one._id.id, other._id.id);
}
