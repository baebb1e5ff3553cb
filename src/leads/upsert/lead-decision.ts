import { Types } from 'mongoose';
import { linkClient } from '../../tenants/clients/client-link.js';
import { contactOf, phoneClaims } from '../../tenants/contacts/contact.js';
import { phonesOf } from '../../tenants/contacts/phone-number.js';
import type { Language } from '../../core/localization/language.js';
import { scalarText } from '../../core/values/scalar.js';
import { pendingEvent } from '../../events/outbox/pending-event.js';
import { leadChanges, leadEvent } from '../lead-changes.js';
import { assertNoReference, type LeadPayload, mergeLead } from '../lead-merge.js';
import { assertChangesSize, assertLeadSize } from '../lead-size.js';
import type { LeadData, LeadDocument } from '../lead.schema.js';
import { assertNoDuplicates } from '../phones/duplicate-phones.js';
import { derivedPhones, storedPhones } from '../phones/lead-phones.js';
import type { LeadDecision, LeadRecords, LeadRequest } from './lead-records.js';

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
