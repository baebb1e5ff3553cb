import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { DomainError } from '../core/http/errors/domain-error.js';
import { upsertStatus } from '../core/http/server/upsert-status.js';
import type { Answer } from '../core/idempotency/idempotency-claim.js';
import { type GroupCommit, GroupCommits } from '../core/writes/group-commit.js';
import type { Batch } from '../core/writes/write-kind.js';
import { Clock } from '../core/configuration/clock.js';
import { Transactions } from '../core/database/transactions/transactions.js';
import { Outbox } from '../events/outbox/outbox.js';
import { ChangeLogRepository } from '../tenants/change-log/change-log.repository.js';
import { ClientsService } from '../tenants/clients/clients.service.js';
import type { Caller } from '../tenants/keys/caller.js';
import type { LeadDeletionResponseDto, LeadUpsertResponseDto } from './dto/lead.dto.js';
import type { LeadDocument } from './lead.schema.js';
import { leadChange, leadEvent } from './lead-changes.js';
import { type LeadPayload, requestData } from './lead-merge.js';
import { presentLead } from './lead.presenter.js';
import { leadErrors } from './lead-errors.js';
import { LeadsRepository } from './leads.repository.js';
import { decideLead } from './upsert/lead-decision.js';
import { LeadRecordsLoader } from './upsert/lead-records-loader.js';
import type { LeadDecision, LeadRecords, LeadRequest } from './upsert/lead-records.js';

/** The response to a lead that is stored. */
export interface LeadResponse extends Required<Answer<LeadUpsertResponseDto>> {
  /** Whether the lead was created in the same transaction. */
  readonly isNew: boolean;
}

/** A decision, and whether its lead was created in the same transaction. */
interface Upserted extends LeadDecision {
  readonly isNew: boolean;
}

/** Creates, updates and deletes leads of outside systems (rules LEAD-1, LEAD-3, LEAD-11 and LEAD-14). */
@Injectable()
export class LeadsService {
  private readonly commit: GroupCommit<LeadRequest, LeadRecords, Upserted, LeadResponse>;

  constructor(
    commits: GroupCommits,
    loader: LeadRecordsLoader,
    private readonly leads: LeadsRepository,
    private readonly clients: ClientsService,
    private readonly changeLog: ChangeLogRepository,
    private readonly outbox: Outbox,
    private readonly transactions: Transactions,
    private readonly clock: Clock,
  ) {
    this.commit = commits.of({
      name: 'lead',
      queueKeys: ({ caller: { organizationId }, payload: { recordSystemId } }) =>
        recordSystemId === undefined ? [] : [leadQueueKey(organizationId, recordSystemId)],
      load: (requests, options) => loader.load(requests, options),
      decide,
      store: (records) => this.store(records),
      respond: (decided) => decided.map(({ decision }) => responseTo(decision)),
      onDuplicateKey: async (index, { caller }) => {
        if (index === 'leadId') await loader.skipTakenNumbers(caller.organizationId);
      },
    });
  }

  /**
   * Creates a lead or updates the active one with the same `recordSystemId`, in one transaction
   * with its client, change-log entry and events.
   *
   * @throws DomainError 400 for a phone that another lead has, or a merged lead that cannot be stored
   * @throws DatabaseUnavailableError when DATABASE_DEADLINE_MS is over (rule HTTP-12)
   */
  async upsert(caller: Caller, payload: LeadPayload): Promise<LeadUpsertResponseDto> {
    return (await this.commit.submit(leadRequest(caller, payload), payload)).body;
  }

  /** Does for each lead what {@link upsert} does for one, in one transaction; a dry run stores nothing. */
  async upsertAll<Whole extends Answer>(
    batch: Omit<Batch<LeadRequest, LeadResponse, Whole>, 'requests' | 'caller'>,
    { caller, payloads, isDryRun }: LeadBatch,
  ): Promise<Whole> {
    const requests = payloads.map((payload) => leadRequest(caller, payload));
    const whole = { ...batch, caller, requests };
    return isDryRun ? this.commit.rehearse(whole) : this.commit.submitAll(whole);
  }

  /**
   * Soft-deletes the active lead with an external id.
   *
   * @throws DomainError 404 when there is none
   */
  async delete(caller: Caller, recordSystemId: string): Promise<LeadDeletionResponseDto> {
    const lead = await this.transactions.run(() => this.softDelete(caller, recordSystemId), {
      queueKeys: [leadQueueKey(caller.organizationId, recordSystemId)],
      expiresAt: caller.expiresAt,
    });
    return { ok: true, operation: 'delete', lead: presentLead(lead) };
  }

  private async softDelete(caller: Caller, recordSystemId: string): Promise<LeadDocument> {
    const { organizationId, requestId } = caller;
    const now = this.clock.now();
    const [lead] = await this.leads.findActive(organizationId, [recordSystemId]);
    if (lead === undefined) throw new DomainError(leadErrors.notFound);
    await this.leads.softDelete(lead, now);
    const changes = [{ field: 'isDeleted', from: false, to: true }];
    const entry = leadChange('delete', lead, changes, caller);
    await this.changeLog.addLeadChanges(organizationId, [entry], now);
    const event = leadEvent('delete', lead, changes, requestId);
    await this.outbox.publish(organizationId, [event], now);
    return lead;
  }

  /** In one command for each collection (rule LEAD-11). */
  private async store(records: LeadRecords): Promise<void> {
    const { organization, decisions, now } = records;
    const entries = decisions.map(({ operation, lead, changes, request }) =>
      leadChange(operation, lead, changes, request),
    );
    await this.leads.write(organization._id, records.written());
    await this.clients.store(organization._id, records.clients.changes());
    await this.changeLog.addLeadChanges(organization._id, entries, now);
    await this.outbox.store(decisions.flatMap(({ events }) => events));
  }
}

/** The leads of a batch. */
export interface LeadBatch {
  readonly caller: Caller;
  readonly payloads: readonly LeadPayload[];
  readonly isDryRun: boolean;
}

/** Requests about a lead wait for each other inside a process. */
function leadQueueKey(organizationId: Types.ObjectId, recordSystemId: string): string {
  return `lead:${organizationId.toHexString()}:${recordSystemId}`;
}

function leadRequest(caller: Caller, payload: LeadPayload): LeadRequest {
  return { caller, payload, data: requestData(payload) };
}

function decide(records: LeadRecords, request: LeadRequest): Upserted {
  const decision = decideLead(records, request);
  records.put(decision);
  return { ...decision, isNew: records.isNew(decision.lead) };
}

function responseTo({ operation, lead, isNew }: Upserted): LeadResponse {
  const presented = presentLead(lead);
  return {
    status: upsertStatus(operation),
    headers: {},
    body: { ok: true, operation, lead: presented, newLead: presented },
    isNew,
  };
}
