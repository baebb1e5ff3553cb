import { Injectable } from '@nestjs/common';
import { phoneKey, usualSpellings } from '../../contacts/phone-number.js';
import { DomainError } from '../../http/errors/domain-error.js';
import type { Message } from '../../localization/messages.js';
import type { Organization } from '../../organizations/organization.js';
import { UsersRepository } from '../../organizations/users.repository.js';
import { leadErrors } from '../lead-errors.js';
import { derivedPhones, ownersOf } from './lead-phones.js';
import type { LeadDocument } from '../lead.schema.js';
import { LeadsRepository } from '../leads.repository.js';

/** No two leads of an organization have the same phone (rule LEAD-7). */
@Injectable()
export class DuplicatePhones {
  constructor(
    private readonly leads: LeadsRepository,
    private readonly users: UsersRepository,
  ) {}

  /**
   * Concurrent requests with the same phone need the transaction lock of its contention key.
   *
   * @param sent phones of the request
   * @param stored the lead that the request updates; the phones that it has are not checked again
   * @throws DomainError 400 with a message for each phone that another lead has
   */
  async assertNone(
    organization: Organization,
    sent: readonly string[],
    stored: Pick<LeadDocument, 'data'> | null,
  ): Promise<void> {
    const { _id, phoneCountry } = organization;
    const own = derivedPhones(stored?.data, phoneCountry).phoneKeys;
    const phones = sent.filter((phone) => !own.includes(phoneKey(phone, phoneCountry)));
    if (organization.allowConflictLeads || phones.length === 0) return;
    const candidates = await this.leads.findByPhones(
      _id,
      phones.map((phone) => phoneKey(phone, phoneCountry)),
      phones.flatMap((phone) => usualSpellings(phone, phoneCountry)),
    );
    const messages: Message[] = [];
    for (const [phone, owner] of ownersOf(phones, candidates, phoneCountry)) {
      messages.push(await this.describe(organization, phone, owner));
    }
    if (messages.length > 0) throw new DomainError(leadErrors.duplicatePhone, messages);
  }

  private async describe(
    { _id }: Organization,
    phone: string,
    { assignedToId }: Pick<LeadDocument, 'assignedToId'>,
  ): Promise<Message> {
    const user = assignedToId ? (await this.users.findById(_id, assignedToId))?.name : undefined;
    const { message, otherMessage } = leadErrors.duplicatePhone;
    if (user === undefined) return { key: message, values: { phone } };
    return { key: otherMessage.key, values: { phone, user } };
  }
}
