import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { type Phone, phoneKey, usualSpellings } from '../../contacts/phone-number.js';
import { DomainError } from '../../http/errors/domain-error.js';
import type { Message } from '../../localization/messages.js';
import type { Organization } from '../../organizations/organization.js';
import { UsersService } from '../../organizations/users.service.js';
import { leadErrors } from '../lead-errors.js';
import { phonesOf } from './lead-phones.js';
import type { LeadDocument } from '../lead.schema.js';
import { LeadsRepository } from '../leads.repository.js';

/** Refuses a phone that another lead of the organization has (section 4.1 rule 5, "Leads" 7). */
@Injectable()
export class DuplicatePhones {
  constructor(
    private readonly leads: LeadsRepository,
    private readonly users: UsersService,
  ) {}

  /**
   * Simultaneous requests with the same phone need the transaction lock of its contention key.
   *
   * @param phones the phones that the request sends
   * @param ownId the lead that the request updates, which never counts as a duplicate
   * @throws DomainError 400 with a message for each phone that another lead has
   */
  async refuse(
    organization: Organization,
    phones: readonly Phone[],
    ownId: Types.ObjectId | undefined,
  ): Promise<void> {
    if (organization.allowConflictLeads || phones.length === 0) return;
    const { _id, phoneCountry } = organization;
    const keyOf = (phone: Phone) => phoneKey(phone, phoneCountry);
    const candidates = await this.leads.findByPhones(_id, {
      keys: phones.map(keyOf),
      spellings: phones.flatMap((phone) => usualSpellings(phone, phoneCountry)),
    });
    const others = candidates.filter((lead) => ownId === undefined || !lead._id.equals(ownId));
    const messages: Message[] = [];
    for (const phone of new Set(phones)) {
      const owner = others.find((lead) => phonesOf(lead.data).map(keyOf).includes(keyOf(phone)));
      if (owner !== undefined) messages.push(await this.describe(organization, phone, owner));
    }
    if (messages.length > 0) throw new DomainError(leadErrors.duplicatePhone, messages);
  }

  private async describe(
    { _id }: Organization,
    phone: Phone,
    { assignedToId }: Pick<LeadDocument, 'assignedToId'>,
  ): Promise<Message> {
    const user = assignedToId ? await this.users.nameOf(_id, assignedToId) : undefined;
    const { message, otherMessage } = leadErrors.duplicatePhone;
    if (user === undefined) return { key: message, values: { phone } };
    return { key: otherMessage.key, values: { phone, user } };
  }
}
