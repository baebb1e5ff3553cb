import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { ChangeLogRepository } from '../../change-log/change-log.repository.js';
import { ClientsService } from '../../clients/clients.service.js';
import { TransactionLocksRepository } from '../../database/transactions/transaction-locks.repository.js';
import { Outbox } from '../../webhooks/outbox/outbox.js';
import { leadChange } from '../lead-changes.js';
import { LeadsRepository } from '../leads.repository.js';
import type { LeadDecision } from './lead-decision.js';
import type { LeadRecords } from './lead-records.js';

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
    records: LeadRecords,
    decisions: readonly LeadDecision[],
  ): Promise<void> {
    const claims = decisions.flatMap((decision) => decision.claims);
    const entries = decisions.map(({ operation, lead, changes }) =>
      leadChange(operation, lead, changes),
    );
    await this.locks.take(organizationId, claims);
    await this.leads.write(organizationId, records.writtenLeads());
    await this.clients.store(organizationId, records.clients.changes());
    await this.changeLog.addLeadChanges(organizationId, entries);
    await this.outbox.store(decisions.flatMap(({ events }) => events));
  }
}
