import { BSON } from 'mongodb';
import { Types } from 'mongoose';
import { DomainError } from '../../core/http/errors/domain-error.js';
import type { Language } from '../../core/localization/language.js';
import type { Message } from '../../core/localization/messages.service.js';
import { mebibyte } from '../../core/values/numbers.js';
import { scalarText } from '../../core/values/scalar.js';
import { pendingEvent } from '../../events/outbox/pending-event.js';
import { leadChanges, leadEvent } from '../lead-changes.js';
import { leadErrors } from '../lead-errors.js';
import { type LeadPayload, type MergedLead, assertNoReference, mergeLead } from '../lead-merge.js';
import type { LeadData, LeadDocument } from '../lead.schema.js';
import { derivedPhones, storedPhones } from '../phones/lead-phones.js';
import type { LeadDecision, LeadRecords, LeadRequest } from './lead-records.js';
import type { FieldChange } from '../../tenants/change-log/field-changes.js';
import { linkClient } from '../../tenants/clients/client-link.js';
import { contactOf, phoneClaims } from '../../tenants/contacts/contact.js';
import { phoneKey, phonesOf } from '../../tenants/contacts/phone-number.js';
import type { Organization } from '../../tenants/organizations/organization.js';

/**
 * No two leads of an organization have the same phone (rule LEAD-7).
 *
 * @param sent phones of the request
 * @param own comparison keys of the phones that the request's lead has, which are not checked again
 * @throws DomainError 400 with a message for each phone that another lead has
 */
export function assertNoDuplicates(
  records: LeadRecords,
  { allowConflictLeads, phoneCountry }: Organization,
  sent: readonly string[],
  own: readonly string[],
): void {
  if (allowConflictLeads) return;
  const messages = [...new Set(sent)].flatMap((phone): Message[] => {
    const key = phoneKey(phone, phoneCountry);
    const owner = own.includes(key) ? undefined : records.findPhoneOwner(key);
    return owner === undefined ? [] : [describe(phone, records.userName(owner.assignedToId))];
  });
  if (messages.length > 0) throw new DomainError(leadErrors.duplicatePhone, messages);
}

function describe(phone: string, user: string | undefined): Message {
  const { messageKey, otherMessage } = leadErrors.duplicatePhone;
  if (user === undefined) return { key: messageKey, values: { phone } };
  return { key: otherMessage.key, values: { phone, user } };
}

/**
 * Largest `data` and `additionalData` of a lead together, in MiB as stored. An event holds them and,
 * with every change, what was there before and after: all of it has to fit into one document of the
 * database, which ends at 16 MiB.
 */
const leadLimit = 4;
const changesLimit = 8;

/** The size in bytes. @throws DomainError 400 for a lead that would outgrow its events */
export function assertLeadSize({ data, additionalData }: MergedLead): number {
  const size = sizeOf({ data, additionalData });
  if (size > leadLimit * mebibyte) throw new DomainError(leadErrors.tooLarge, { limit: leadLimit });
  return size;
}

/** The size in bytes. @throws DomainError 400 for changes that together would outgrow an event */
export function assertChangesSize(changes: readonly FieldChange[]): number {
  const size = sizeOf({ changes });
  if (size > changesLimit * mebibyte) throw new DomainError(leadErrors.tooManyChanges);
  return size;
}

function sizeOf(document: object): number {
  return BSON.calculateObjectSize(document);
}

/**
 * Decides a request over the records that it may touch, and changes none of them: creates the lead,
 * or merges the request into the active lead with its `recordSystemId` (rules LEAD-3 to LEAD-12).
 *
 * @throws DomainError 400 for a phone that another lead has, or a merged lead that cannot be stored
 * @throws EventTooLargeError when the change could not be published
 */
export function decideLead(
  records: LeadRecords,
  { caller: { requestId, apiKeyId, language }, payload, data: requested }: LeadRequest,
): LeadDecision {
  const { organization, now } = records;
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
    request: { requestId, apiKeyId },
    operation,
    lead: result,
    changes,
    client,
    events: [
      ...(client.change === undefined ? [] : [client.change.event]),
      ...published.map((event) => pendingEvent(organization._id, event, now)),
    ],
    // The phones that the lead did not have yet.
    claims: [
      ...client.claims,
      ...phoneClaims(phones.phoneKeys.filter((key) => !own.includes(key))),
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

/** With the compounds that have the name of the requested project (rule LEAD-8). */
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
