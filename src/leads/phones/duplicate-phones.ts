import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { type Phone, phoneKey, usualSpellings } from '../../contacts/phone-number.js';
import { DomainError } from '../../http/errors/domain-error.js';
import type { Message } from '../../localization/messages.js';
import type { Organization } from '../../organizations/organization.js';
import { UsersRepository } from '../../organizations/users.repository.js';
import { leadErrors } from '../lead-errors.js';
import { ownersOf } from './lead-phones.js';
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
   * @param phones of the request
   * @param ownId the lead that the request updates, which never counts as a duplicate
   * @throws DomainError 400 with a message for each phone that another lead has
   */
  async assertNone(
    organization: Organization,
    phones: readonly Phone[],
    ownId: Types.ObjectId | undefined,
  ): Promise<void> {
    if (organization.allowConflictLeads || phones.length === 0) return;
    const { _id, phoneCountry } = organization;
    const candidates = await this.leads.findByPhones(
      _id,
      phones.map((phone) => phoneKey(phone, phoneCountry)),
      phones.flatMap((phone) => usualSpellings(phone, phoneCountry)),
    );
    const others = candidates.filter((lead) => ownId === undefined || !lead._id.equals(ownId));
    const messages: Message[] = [];
    for (const [phone, owner] of ownersOf(phones, others, phoneCountry)) {
      messages.push(await this.describe(organization, phone, owner));
    }
    if (messages.length > 0) throw new DomainError(leadErrors.duplicatePhone, messages);
  }

  private async describe(
    { _id }: Organization,
    phone: Phone,
    { assignedToId }: Pick<LeadDocument, 'assignedToId'>,
  ): Promise<Message> {
    const user = assignedToId ? (await this.users.findById(_id, assignedToId))?.name : undefined;
    const { message, otherMessage } = leadErrors.duplicatePhone;
    if (user === undefined) return { key: message, values: { phone } };
    return { key: otherMessage.key, values: { phone, user } };
  }
}
