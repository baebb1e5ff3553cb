import { BSON } from 'mongodb';
import { Types } from 'mongoose';
import { DomainError } from '../../core/errors/domain-error.js';
import type { LocalizedMessage } from '../../core/localization/messages.service.js';
import { mebibyte } from '../../core/values/numbers.js';
import { scalarText } from '../../core/values/json.js';
import { pendingEvent } from '../../events/outbox/outbox.js';
import type { FieldChange } from '../../tenants/change-log/field-changes.js';
import { linkClient } from '../clients/client-link.js';
import { contactOf, emailKeyOf, phoneLockKeys } from '../../tenants/contacts/contact.js';
import { phoneKeys, phonesOf } from '../../tenants/contacts/phone-number.js';
import type { Organization } from '../../tenants/organizations/organization.js';
import { leadLogEntry, leadFieldChanges, leadEvent } from '../lead-changes.js';
import { leadErrors } from '../lead-errors.js';
import { type LeadPayload, type MergedLead, assertNoReference, mergeLead } from '../lead-merge.js';
import type { LeadDocument } from '../lead.schema.js';
import { derivePhoneKeys, currentPhoneKeys } from '../phones/lead-phones.js';
import type { LeadDecision, LeadWorkingSet, LeadRequest } from './lead-working-set.js';

/**
 * @param own comparison keys of the lead's stored phones, which need no new check
 * @throws DomainError 400 with a message for each phone of another lead (rule LEAD-7)
 */
function assertNoDuplicatePhones(
  workingSet: LeadWorkingSet,
  { allowConflictLeads, phoneCountry }: Organization,
  sent: readonly string[],
  own: readonly string[],
): void {
  if (allowConflictLeads) return;
  const messages = [...new Set(sent)].flatMap((phone): LocalizedMessage[] => {
    const added = phoneKeys(phone, phoneCountry).filter((key) => !own.includes(key));
    const owners = added.map((key) => workingSet.findPhoneOwner(key));
    const owner = owners.find((candidate) => candidate !== undefined);
    if (owner === undefined) return [];
    if (!owner.assignedToId)
      return [{ key: leadErrors.duplicatePhone.messageKey, values: { phone } }];
    return [assignedMessage(phone, workingSet.userName(owner.assignedToId))];
  });
  if (messages.length > 0) throw new DomainError(leadErrors.duplicatePhone, messages);
}

function assignedMessage(phone: string, user: string | undefined): LocalizedMessage {
  const [named, unnamed] = leadErrors.duplicatePhone.otherMessages;
  if (user === undefined) return { key: unnamed.key, values: { phone } };
  return { key: named.key, values: { phone, user } };
}

/** Limits stored sizes: an event holds the lead and both values of each change, in a document of at most 16 MiB. */
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
 * Creates a lead, or merges the request into the active one (rules LEAD-3 to LEAD-12), without changing the working set.
 *
 * @throws DomainError 400 for a phone of another lead, or a lead that cannot be stored or published
 */
export function decideLead(
  workingSet: LeadWorkingSet,
  { caller, payload, data: requested }: LeadRequest,
): LeadDecision {
  const { organization, now } = workingSet;
  const { requestId, language } = caller;
  const stored = workingSet.findActive(payload.recordSystemId);
  const merged = mergeLead(stored, { ...payload, data: requested });
  assertNoReference(merged);
  const size = assertLeadSize(merged);
  const storedKeys = currentPhoneKeys(stored ?? {}, organization.phoneCountry).phoneKeys;
  assertNoDuplicatePhones(workingSet, organization, phonesOf(requested), storedKeys);
  const contacts = { sent: contactOf(requested), merged: contactOf(merged.data) };
  const linked = { requestId, organization, ...contacts, clientId: stored?.clientId };
  const client = linkClient(workingSet.clients, linked, now);
  const phones = derivePhoneKeys(merged.data, organization.phoneCountry);
  const project = scalarText(requested['project']);
  const named = project === '' ? [] : workingSet.compoundsNamed(project, language);
  const lead = {
    ...(stored ?? newLead(workingSet, payload)),
    ...merged,
    ...phones,
    emailKey: emailKeyOf(merged.data),
    compoundsIds: withLinks(stored?.compoundsIds ?? [], named),
    clientId: client.clientId,
  };
  const changes = leadFieldChanges(stored, lead);
  const changesSize = assertChangesSize(changes);
  const isUnchanged = stored !== null && changes.length === 0;
  const operation = stored === null ? 'create' : 'update';
  const result = isUnchanged ? stored : { ...lead, updatedAt: now };
  const published = isUnchanged ? [] : [leadEvent(operation, result, changes, requestId)];
  return {
    operation,
    lead: result,
    entry: leadLogEntry(operation, result, changes, caller),
    client,
    isProjectUnmatched: project !== '' && named.length === 0,
    events: [
      ...(client.change === undefined ? [] : [client.change.event]),
      ...published.map((event) => pendingEvent(organization._id, event, now)),
    ],
    lockKeys: [
      ...client.lockKeys,
      ...phoneLockKeys(phones.phoneKeys.filter((key) => !storedKeys.includes(key))),
    ],
    bytes: size + changesSize,
  };
}

function newLead(
  { organization, nextNumber, now }: LeadWorkingSet,
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

/** Adds links to compounds and removes none (rule LEAD-8). */
function withLinks(linked: Types.ObjectId[], named: readonly Types.ObjectId[]): Types.ObjectId[] {
  return [...linked, ...named.filter((id) => !linked.some((other) => id.equals(other)))];
}
