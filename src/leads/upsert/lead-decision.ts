import { BSON } from 'mongodb';
import { Types } from 'mongoose';
import type { WriteOf } from '../../core/database/documents/tenant-queries.js';
import { DomainError } from '../../core/http/errors/domain-error.js';
import type { Language } from '../../core/localization/language.js';
import type { LocalizedMessage } from '../../core/localization/messages.service.js';
import { mebibyte } from '../../core/values/numbers.js';
import { scalarText } from '../../core/values/json.js';
import type { PendingWrites } from '../../core/writes/write-kind.js';
import { type PendingEvent, pendingEvent } from '../../events/outbox/pending-event.js';
import type { LeadChange } from '../../tenants/change-log/change-log.repository.js';
import type { FieldChange } from '../../tenants/change-log/field-changes.js';
import {
  type ClientLink,
  linkClient,
  type ClientRecords,
} from '../../tenants/clients/client-link.js';
import { contactOf, phoneLockKeys } from '../../tenants/contacts/contact.js';
import { phoneKey, phonesOf } from '../../tenants/contacts/phone-number.js';
import type { Caller } from '../../tenants/keys/caller.js';
import type { Organization } from '../../tenants/organizations/organization.js';
import { leadChange, leadChanges, leadEvent } from '../lead-changes.js';
import { leadErrors } from '../lead-errors.js';
import { type LeadPayload, type MergedLead, assertNoReference, mergeLead } from '../lead-merge.js';
import type { LeadData, LeadDocument } from '../lead.schema.js';
import type { PhoneOwner } from '../leads.repository.js';
import { derivedPhones, storedPhones } from '../phones/lead-phones.js';

export interface LeadRequest {
  readonly caller: Caller;
  readonly payload: LeadPayload;
  /** `data` of the payload with its flat fields. */
  readonly data: LeadData;
}

export interface LeadDecision {
  readonly operation: 'create' | 'update';
  readonly lead: LeadDocument;
  readonly entry: LeadChange;
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
  findPhoneOwner(key: string): PhoneOwner | undefined {
    const owners = [...this.owners.values()].filter(({ phoneKeys }) => phoneKeys.includes(key));
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

  writes(): WriteOf<LeadDocument>[] {
    const writes = new Map<string, WriteOf<LeadDocument>>();
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
    const { phoneKeys } = storedPhones(lead, this.organization.phoneCountry);
    this.owners.set(lead._id.toHexString(), { lead, phoneKeys });
  }
}

function withKeyTime(lead: LeadDocument): LeadDocument {
  return { ...lead, phoneKeysAt: lead.updatedAt };
}

/** Writes only what a request decides: other programs' values in the other fields stay. */
function updateOf({ _id, ...lead }: LeadDocument): WriteOf<LeadDocument> {
  const { data, additionalData, compoundsIds, clientId, updatedAt } = lead;
  const { phoneKeys, phoneKeysOf, phoneKeysAt } = lead;
  const phones = { phoneKeys, phoneKeysOf, phoneKeysAt };
  return { _id, fields: { data, additionalData, compoundsIds, clientId, ...phones, updatedAt } };
}

/** Leads without a number are ordered by id. */
function byNumber(one: PhoneOwner, other: PhoneOwner): number {
  return (one.leadId ?? 0) - (other.leadId ?? 0) || Buffer.compare(one._id.id, other._id.id);
}

/**
 * @param own comparison keys of the lead's stored phones, which are not checked again
 * @throws DomainError 400 with a message for each phone of another lead (rule LEAD-7)
 */
function assertNoDuplicates(
  records: LeadRecords,
  { allowConflictLeads, phoneCountry }: Organization,
  sent: readonly string[],
  own: readonly string[],
): void {
  if (allowConflictLeads) return;
  const messages = [...new Set(sent)].flatMap((phone): LocalizedMessage[] => {
    const key = phoneKey(phone, phoneCountry);
    const owner = own.includes(key) ? undefined : records.findPhoneOwner(key);
    return owner === undefined ? [] : [describe(phone, records.userName(owner.assignedToId))];
  });
  if (messages.length > 0) throw new DomainError(leadErrors.duplicatePhone, messages);
}

function describe(phone: string, user: string | undefined): LocalizedMessage {
  const { messageKey, otherMessage } = leadErrors.duplicatePhone;
  if (user === undefined) return { key: messageKey, values: { phone } };
  return { key: otherMessage.key, values: { phone, user } };
}

/** In MiB as stored. An event holds the lead and the values before and after: together at most 16 MiB. */
const maxLeadMebibytes = 4;
const maxChangesMebibytes = 8;

/** Returns the size in bytes (rule LEAD-13). */
function assertLeadSize({ data, additionalData }: MergedLead): number {
  const size = sizeOf({ data, additionalData });
  if (size > maxLeadMebibytes * mebibyte)
    throw new DomainError(leadErrors.tooLarge, { limit: maxLeadMebibytes });
  return size;
}

function assertChangesSize(changes: readonly FieldChange[]): number {
  const size = sizeOf({ changes });
  if (size > maxChangesMebibytes * mebibyte) throw new DomainError(leadErrors.tooManyChanges);
  return size;
}

function sizeOf(document: object): number {
  return BSON.calculateObjectSize(document);
}

/**
 * Creates a lead, or merges the request into the active one (rules LEAD-3 to LEAD-12). The records stay unchanged.
 *
 * @throws DomainError 400 for a phone of another lead, or a lead that cannot be stored or published
 */
export function decideLead(
  records: LeadRecords,
  { caller, payload, data: requested }: LeadRequest,
): LeadDecision {
  const { organization, now } = records;
  const { requestId, language } = caller;
  const stored = records.findActive(payload.recordSystemId);
  const merged = mergeLead(stored, { ...payload, data: requested });
  assertNoReference(merged);
  const size = assertLeadSize(merged);
  const own = storedPhones(stored ?? {}, organization.phoneCountry).phoneKeys;
  assertNoDuplicates(records, organization, phonesOf(requested), own);
  const contact = contactOf(stored?.clientId ? requested : merged.data);
  const clientId = stored?.clientId;
  const client = linkClient(records.clients, { requestId, organization, contact, clientId }, now);
  const phones = derivedPhones(merged.data, organization.phoneCountry);
  const lead = {
    ...(stored ?? newLead(records, payload)),
    ...merged,
    ...phones,
    compoundsIds: linkedCompounds(records, language, stored?.compoundsIds ?? [], requested),
    clientId: client.clientId,
  };
  const changes = leadChanges(stored, lead);
  const changesSize = assertChangesSize(changes);
  const isUnchanged = stored !== null && changes.length === 0;
  const operation = stored === null ? 'create' : 'update';
  const result = isUnchanged ? stored : { ...lead, updatedAt: now };
  const published = isUnchanged ? [] : [leadEvent(operation, result, changes, requestId)];
  return {
    operation,
    lead: result,
    entry: leadChange(operation, result, changes, caller),
    client,
    events: [
      ...(client.change === undefined ? [] : [client.change.event]),
      ...published.map((event) => pendingEvent(organization._id, event, now)),
    ],
    lockKeys: [
      ...client.lockKeys,
      ...phoneLockKeys(phones.phoneKeys.filter((key) => !own.includes(key))),
    ],
    bytes: size + changesSize,
  };
}

function newLead(
  { organization, nextNumber, now }: LeadRecords,
  { recordSystemId }: LeadPayload,
): LeadDocument {
  return {
    _id: new Types.ObjectId(),
    organizationId: organization._id,
    ...(nextNumber === undefined ? {} : { leadId: nextNumber }),
    ...(recordSystemId === undefined ? {} : { recordSystemId }),
    assignedToId: null,
    parentId: null,
    isActive: true,
    isDeleted: false,
    createdAt: now,
    updatedAt: now,
  };
}

/** Adds the compounds of the sent project's name (rule LEAD-8). */
function linkedCompounds(
  records: LeadRecords,
  language: Language,
  linked: Types.ObjectId[],
  data: LeadData,
): Types.ObjectId[] {
  const project = scalarText(data['project']);
  const named = project === '' ? [] : records.compoundsNamed(project, language);
  return [...linked, ...named.filter((id) => !linked.some((other) => id.equals(other)))];
}
