import { phoneKey } from '../../contacts/phone-number.js';
import { DomainError } from '../../http/errors/domain-error.js';
import type { Message } from '../../localization/messages.js';
import type { Organization } from '../../organizations/organization.js';
import { leadErrors } from '../lead-errors.js';
import type { LeadDocument } from '../lead.schema.js';
import type { LeadRecords } from '../upsert/lead-records.js';
import { derivedPhones } from './lead-phones.js';

/**
 * No two leads of an organization have the same phone (rule LEAD-7).
 *
 * @param sent phones of the request
 * @param stored the lead that the request updates; the phones that it has are not checked again
 * @throws DomainError 400 with a message for each phone that another lead has
 */
export function assertNoDuplicates(
  records: LeadRecords,
  { allowConflictLeads, phoneCountry }: Organization,
  sent: readonly string[],
  stored: Pick<LeadDocument, 'data'> | null,
): void {
  if (allowConflictLeads || sent.length === 0) return;
  const own = derivedPhones(stored?.data, phoneCountry).phoneKeys;
  const messages = [...new Set(sent)].flatMap((phone): Message[] => {
    const key = phoneKey(phone, phoneCountry);
    const owner = own.includes(key) ? undefined : records.findPhoneOwner(key, phoneCountry);
    return owner === undefined ? [] : [describe(phone, records.userName(owner.assignedToId))];
  });
  if (messages.length > 0) throw new DomainError(leadErrors.duplicatePhone, messages);
}

function describe(phone: string, user: string | undefined): Message {
  const { messageKey, otherMessage } = leadErrors.duplicatePhone;
  if (user === undefined) return { key: messageKey, values: { phone } };
  return { key: otherMessage.key, values: { phone, user } };
}
