import { Injectable } from '@nestjs/common';
import { objectIds } from '../../core/database/documents/tenant-document.js';
import { Types } from 'mongoose';
import { Clock } from '../../core/configuration/clock.js';
import type { BatchedUpdates, TenantWrite } from '../../core/database/documents/tenant-queries.js';
import { Transactions } from '../../core/database/transactions/transactions.js';
import type { EventContent } from '../../events/outbox/outbox-events.repository.js';
import { Outbox } from '../../events/outbox/outbox.js';
import type { LeadDto } from '../dto/lead.dto.js';
import { leadErasedEvent } from '../lead-changes.js';
import { knownDataKeys } from '../lead-merge.js';
import { present } from '../../core/fields/declared-fields.js';
import { LeadDocument } from '../lead.schema.js';
import { LeadsRepository } from '../leads.repository.js';
import { ChangeLogRepository } from '../../tenants/change-log/change-log.repository.js';
import type { FieldChange } from '../../tenants/change-log/field-changes.js';
import { ClientsService } from '../clients/clients.service.js';
import { redactClientChanges, redactClientData } from '../clients/client.presenter.js';
import { type Contact, contactOf, lockKeysOf } from '../../tenants/contacts/contact.js';
import type { Organization } from '../../tenants/organizations/organization.js';
import { LeadErasuresRepository } from './lead-erasures.repository.js';

/** A custom key may itself contain personal data, so only these keys stay in erased changes. */
const keptFieldNames: ReadonlySet<string> = new Set(knownDataKeys.map((key) => `data.${key}`));

function redactLeadData(data: object): object {
  return { ...data, data: {}, additionalData: {} };
}

/** Removes values and custom keys, but keeps the number of changes. */
function redactLeadChanges(changes: readonly FieldChange[]): FieldChange[] {
  return changes.map((change) => {
    const [, top] = /^(data|additionalData)\./.exec(change.field) ?? [];
    if (top === undefined) return change;
    return { field: keptFieldNames.has(change.field) ? change.field : top, from: null, to: null };
  });
}

/** A phone or email with more leads than this is a placeholder, not one person's. */
const maxLeads = 1_000;

/** @throws Error when the leads, or clients, match several people */
function assertOnePerson(matches: readonly unknown[]): void {
  if (matches.length <= maxLeads) return;
  throw new Error(`More than ${maxLeads} leads of several people match; refine the search.`);
}

/** Keeps only ids, numbers and times. */
function erasureOf(
  { _id, deletedAt, updatedAt }: LeadDocument,
  now: Date,
): TenantWrite<LeadDocument> {
  // A later `updatedAt` keeps the background job from storing keys of phones that it has read before.
  const changed = updatedAt instanceof Date ? updatedAt.getTime() + 1 : 0;
  const erasedAt = new Date(Math.max(now.getTime(), changed));
  // Another program may have stored personal data as a time.
  const kept = deletedAt instanceof Date ? deletedAt : now;
  const times = { deletedAt: kept, updatedAt: erasedAt, erasedAt };
  const $set = { data: {}, additionalData: {}, isDeleted: true, ...times };
  const $unset = { phoneKeys: '', phoneKeysOf: '', phoneKeysAt: '', emailKey: '' } as const;
  return { _id, update: { $set, $unset } };
}

export interface ErasedLeads {
  readonly organization: Pick<Organization, '_id' | 'phoneCountry'>;
  readonly leadIds: readonly Types.ObjectId[];
  /** Returns the ids of leads that no recorded erasure contains. */
  readonly notListed: (ids: readonly Types.ObjectId[]) => Promise<Types.ObjectId[]>;
}

/** Erases leads with their clients, because both hold the same person's data (rule LEAD-15). */
@Injectable()
export class LeadErasuresService {
  constructor(
    private readonly erasures: LeadErasuresRepository,
    private readonly leads: LeadsRepository,
    private readonly transactions: Transactions,
    private readonly clients: ClientsService,
    private readonly changeLog: ChangeLogRepository,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  /** Includes other leads of their clients, and deleted ones. @throws Error when the leads match several people */
  async findByPerson({ _id, phoneCountry }: Organization, person: Contact): Promise<LeadDto[]> {
    const sought = new Set(lockKeysOf(person, phoneCountry));
    const ids: Types.ObjectId[] = [];
    const clientIds = await this.clients.idsByLockKeys({ _id, phoneCountry }, sought, maxLeads);
    assertOnePerson(clientIds);
    for await (const leads of this.erasures.contactsOfAll(_id)) {
      for (const { _id: leadId, clientId, data } of leads) {
        const keys = lockKeysOf(contactOf(data ?? {}), phoneCountry);
        if (!keys.some((key) => sought.has(key))) continue;
        ids.push(leadId);
        if (clientId) clientIds.push(clientId);
      }
      assertOnePerson(ids);
    }
    const found = await this.erasures.findWithClients(_id, ids, clientIds, maxLeads + 1);
    assertOnePerson(found);
    return found.map((lead) => present(LeadDocument, lead));
  }

  /**
   * Removes values of leads, and of clients that no other lead has, in the open transaction. A concurrent request that
   * links one of the clients conflicts.
   */
  async erase(erased: ErasedLeads) {
    const { organization, leadIds } = erased;
    const { phoneCountry } = organization;
    const now = this.clock.now();
    const contacts = await this.erasures.contactsOf(organization._id, leadIds);
    const leads = await this.erasures.findUnerased(organization._id, leadIds);
    // Writing the leads first locks them: concurrent requests then wait for this transaction, not the reverse.
    await this.leads.write(
      organization._id,
      leads.map((lead) => erasureOf(lead, now)),
    );
    const { clientIds, keptClientIds } = await this.splitClients(erased, contacts);
    const erasedContacts = [
      ...contacts.map(({ data }) => contactOf(data ?? {})),
      ...(await this.clients.contactsOf(organization._id, clientIds)),
    ];
    const lockKeys = erasedContacts.flatMap((contact) => lockKeysOf(contact, phoneCountry));
    await this.transactions.lock(organization._id, lockKeys, now);
    const clients = await this.clients.erase(organization._id, clientIds, now);
    const events = leads.map((lead) => leadErasedEvent(lead, now));
    await this.outbox.publish(organization._id, events, now);
    return { leads: leads.length, clients, clientIds, keptClientIds };
  }

  changeLogUpdates(
    organizationId: Types.ObjectId,
    leadIds: readonly Types.ObjectId[],
  ): AsyncGenerator<BatchedUpdates, void> {
    return this.changeLog.updatesOfLeads(organizationId, leadIds, redactLeadChanges);
  }

  private async splitClients(
    { organization, leadIds, notListed }: ErasedLeads,
    leads: readonly Pick<LeadDocument, 'clientId'>[],
  ) {
    const clientIds = distinct(objectIds(leads.map(({ clientId }) => clientId)));
    const own = new Set(leadIds.map((id) => id.toHexString()));
    const all = await this.erasures.findOfClients(organization._id, clientIds);
    const others = all.filter(({ _id }) => !own.has(_id.toHexString()));
    const holding = new Set((await notListed(others.map(({ _id }) => _id))).map(String));
    const kept = new Set(
      others.filter(({ _id }) => holding.has(String(_id))).map(({ clientId }) => String(clientId)),
    );
    return {
      clientIds: clientIds.filter((id) => !kept.has(id.toHexString())),
      /** Clients that are still linked to leads outside this erasure. */
      keptClientIds: clientIds.filter((id) => kept.has(id.toHexString())),
    };
  }
}

/** Removes values from an event about a lead or a client; `lead.erased` has none. */
export function redactEvent(event: EventContent): EventContent {
  const { type, data, changes } = event;
  if (type === 'lead.erased') return event;
  const isLead = type.startsWith('lead.');
  return {
    type,
    data: isLead ? redactLeadData(data) : redactClientData(data),
    ...(changes && {
      changes: isLead ? redactLeadChanges(changes as FieldChange[]) : redactClientChanges(changes),
    }),
  };
}

function distinct(ids: readonly Types.ObjectId[]): Types.ObjectId[] {
  return [...new Map(ids.map((id) => [id.toHexString(), id])).values()];
}
