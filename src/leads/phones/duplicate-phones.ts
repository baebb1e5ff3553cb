import { phoneKey } from '../../tenants/contacts/phone-number.js';
import { DomainError } from '../../core/http/errors/domain-error.js';
import type { Message } from '../../core/localization/messages.service.js';
import type { Organization } from '../../tenants/organizations/organization.js';
import { leadErrors } from '../lead-errors.js';
import type { LeadRecords } from '../upsert/lead-records.js';

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
