import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { Clock } from '../core/configuration/clock.js';
import { Snapshots } from '../core/database/transactions/sessions.js';
import { Transactions } from '../core/database/transactions/transactions.js';
import { present } from '../core/fields/declared-fields.js';
import { DomainError } from '../core/errors/domain-error.js';
import { ErrorResponses, toDomainError } from '../core/errors/error-responses.js';
import { IdempotencyService } from '../core/idempotency/idempotency.service.js';
import { Metrics } from '../core/observability/metrics.js';
import { mebibyte } from '../core/values/numbers.js';
import type { Caller } from '../tenants/keys/caller.js';
import type { LeadDeletionResponseDto, LeadResponseDto } from './dto/lead.dto.js';
import type { SingleLeadDto } from './dto/upsert-lead.dto.js';
import { leadErrors } from './lead-errors.js';
import type { LeadPayload } from './lead-merge.js';
import { LeadDocument } from './lead.schema.js';
import { LeadsRepository } from './leads.repository.js';
import {
  decideAll,
  type LeadOutcome,
  leadRequest,
  type LeadUpsertResult,
  noteUnmatchedProject,
} from './upsert/lead-outcomes.js';
import { LeadQueue } from './upsert/lead-queue.js';
import type { LeadRequest } from './upsert/lead-working-set.js';
import { LeadWorkingSetService } from './upsert/lead-working-set.service.js';

/** A group commits once its writes reach this size. */
const maxGroupBytes = 16 * mebibyte;

/** Groups concurrent upserts into one transaction, since they may conflict over phones and clients (rule LEAD-11). */
@Injectable()
export class LeadsService {
  private readonly queue: LeadQueue;

  constructor(
    private readonly store: LeadWorkingSetService,
    private readonly leads: LeadsRepository,
    private readonly idempotency: IdempotencyService,
    private readonly transactions: Transactions,
    private readonly snapshots: Snapshots,
    private readonly errorResponses: ErrorResponses,
    private readonly clock: Clock,
    metrics: Metrics,
  ) {
    const groups = {
      upsertGroup: (requests: readonly LeadRequest[]) => this.upsertGroup(requests),
      onDuplicateKey: store.onDuplicateKey.bind(store),
    };
    this.queue = new LeadQueue(groups, transactions, metrics);
  }

  /**
   * @throws DomainError 400 for a phone of another lead, or a merged lead that cannot be stored
   * @throws DatabaseUnavailableError after DATABASE_DEADLINE_MS (rule HTTP-12)
   */
  async upsert(
    caller: Caller,
    { dryRun: isDryRun = false, ...payload }: LeadPayload & Pick<SingleLeadDto, 'dryRun'>,
  ): Promise<LeadUpsertResult> {
    const request = leadRequest(caller, payload);
    const result = isDryRun
      ? await this.snapshots.withSnapshot(() => this.dryRun(request))
      : await this.queue.submit(request, payload);
    noteUnmatchedProject(caller, result);
    return result;
  }

  private async upsertGroup(requests: readonly LeadRequest[]): Promise<readonly LeadOutcome[]> {
    if (requests.length === 0) return [];
    const now = this.clock.now();
    const { workingSet, count } = await this.store.load(requests, { now });
    const outcomes = decideAll(workingSet, requests.slice(0, count), maxGroupBytes);
    await this.store.store(workingSet);
    await this.idempotency.completeAll(this.claimedResponses(requests, outcomes), now);
    return outcomes;
  }

  /** @throws DomainError 404 if no active lead has the external id */
  async read({ organizationId }: Caller, recordSystemId: string): Promise<LeadResponseDto> {
    return {
      ok: true,
      lead: present(LeadDocument, await this.findActive(organizationId, recordSystemId)),
    };
  }

  /** @throws DomainError 404 if no active lead has the external id */
  async delete(caller: Caller, recordSystemId: string): Promise<LeadDeletionResponseDto> {
    const { expiresAt } = caller;
    const softDelete = () => this.softDelete(caller, recordSystemId);
    const lead = await this.transactions.run(softDelete, { expiresAt });
    return { ok: true, operation: 'delete', lead: present(LeadDocument, lead) };
  }

  /** Returns the response that the request would have (rule LEAD-17). */
  private async dryRun(request: LeadRequest): Promise<LeadUpsertResult> {
    const options = { now: this.clock.now(), isDryRun: true };
    const { workingSet } = await this.store.load([request], options);
    const [outcome] = decideAll(workingSet, [request], maxGroupBytes);
    if (outcome?.status !== 'fulfilled') throw outcome?.reason;
    const { body } = outcome.value;
    if (body.operation === 'update') return outcome.value;
    const lead = { ...body.lead, leadId: null };
    return { ...outcome.value, body: { ...body, lead, newLead: lead } };
  }

  /** Without a claim, the controller or the error filter makes the response. */
  private claimedResponses(requests: readonly LeadRequest[], outcomes: readonly LeadOutcome[]) {
    return outcomes.flatMap((outcome, index) => {
      const caller = requests[index]?.caller;
      if (caller?.claim === undefined) return [];
      if (outcome.status === 'fulfilled') return { caller, response: outcome.value };
      const error = toDomainError(outcome.reason);
      return { caller, response: this.errorResponses.responseTo(error, caller.language) };
    });
  }

  private async softDelete(caller: Caller, recordSystemId: string): Promise<LeadDocument> {
    const lead = await this.findActive(caller.organizationId, recordSystemId);
    await this.store.delete(lead, caller, this.clock.now());
    return lead;
  }

  private async findActive(
    organizationId: Types.ObjectId,
    recordSystemId: string,
  ): Promise<LeadDocument> {
    const lead = await this.leads.findActive(organizationId, recordSystemId);
    if (lead === null) throw new DomainError(leadErrors.notFound);
    return lead;
  }
}
