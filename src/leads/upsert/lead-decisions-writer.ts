import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { ChangeLogRepository } from '../../tenants/change-log/change-log.repository.js';
import type { ClientChange } from '../../tenants/clients/client-records.js';
import { ClientsService } from '../../tenants/clients/clients.service.js';
import { TransactionLocksRepository } from '../../core/database/transactions/transaction-locks.repository.js';
import { Outbox } from '../../events/outbox/outbox.js';
import { leadChange } from '../lead-changes.js';
import { LeadsRepository } from '../leads.repository.js';
import { type LeadDecision, writtenLeads } from './lead-decision.js';

/** Writes what a group of lead requests decided. */
@Injectable()
export class LeadDecisionsWriter {
  constructor(
    private readonly locks: TransactionLocksRepository,
    private readonly leads: LeadsRepository,
    private readonly clients: ClientsService,
    private readonly changeLog: ChangeLogRepository,
    private readonly outbox: Outbox,
  ) {}

  /** One command for each collection, inside the open transaction (rule LEAD-11). */
  async store(
    organizationId: Types.ObjectId,
    clients: readonly ClientChange[],
    decisions: readonly LeadDecision[],
  ): Promise<void> {
    const claims = decisions.flatMap((decision) => decision.claims);
    const entries = decisions.map(({ operation, lead, changes, request }) =>
      leadChange(operation, lead, changes, request),
    );
    const events = decisions.flatMap((decision) => decision.events);
    await this.locks.take(organizationId, claims);
    await this.leads.write(organizationId, writtenLeads(decisions));
    await this.clients.store(organizationId, clients);
    await this.changeLog.addLeadChanges(organizationId, entries);
    await this.outbox.store(events);
  }
}
