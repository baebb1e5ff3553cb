import { Injectable, Logger } from '@nestjs/common';
import type { Types } from 'mongoose';
import { Clock } from '../core/configuration/clock.js';
import { Transactions } from '../core/database/transactions/transactions.js';
import { DomainError } from '../core/http/errors/domain-error.js';
import { ErrorResponses, toDomainError } from '../core/http/errors/error-responses.js';
import { httpErrors } from '../core/http/errors/http-errors.js';
import { assertValid } from '../core/validation/validate-dto.js';
import type { ServiceResponse } from '../core/idempotency/idempotency-claim.js';
import { mebibyte } from '../core/values/numbers.js';
import { GroupCommit } from '../core/writes/group-commit.js';
import { WriteServices } from '../core/writes/group-transaction.js';
import type { Batch, WriteOutcome } from '../core/writes/write-handler.js';
import { Outbox } from '../events/outbox/outbox.js';
import { ChangeLogRepository } from '../tenants/change-log/change-log.repository.js';
import type { Caller } from '../tenants/keys/caller.js';
import type {
  LeadBatchResponseDto,
  LeadDeletionResponseDto,
  LeadResponseDto,
  LeadResultDto,
} from './dto/lead.dto.js';
import type { LeadBatchDto, SingleLeadDto, UpsertLeadDto } from './dto/upsert-lead.dto.js';
import { leadLogEntry, leadEvent } from './lead-changes.js';
import { leadErrors } from './lead-errors.js';
import { type LeadPayload, mergeFlatFields } from './lead-merge.js';
import { present } from '../core/fields/declared-fields.js';
import { LeadDocument } from './lead.schema.js';
import { LeadsRepository } from './leads.repository.js';
import type { LeadDecision, LeadRecords, LeadRequest } from './upsert/lead-records.js';
import { type LeadUpsertResult, LeadWrites } from './upsert/lead-writes.js';

/** Once leads of a batch take this many MiB, the remaining ones are rejected. */
const maxBatchMebibytes = 8;

type SingleLead = LeadPayload & Pick<SingleLeadDto, 'dryRun'>;

/** Some leads may already be rejected, for example for invalid JSON. */
interface LeadBatch extends Pick<LeadBatchDto, 'dryRun'> {
  readonly leads: readonly (UpsertLeadDto | null | DomainError)[];
}

interface BatchResponse extends ServiceResponse<LeadBatchResponseDto> {
  readonly body: LeadBatchResponseDto;
  readonly outcomes: readonly WriteOutcome<LeadUpsertResult>[];
}

/** Groups concurrent upserts into one transaction, since they may conflict over phones and clients (rule LEAD-11). */
@Injectable()
export class LeadsService {
  private readonly logger = new Logger(LeadsService.name);
  private readonly commit: GroupCommit<LeadRequest, LeadRecords, LeadDecision, LeadUpsertResult>;

  constructor(
    services: WriteServices,
    writes: LeadWrites,
    private readonly leads: LeadsRepository,
    private readonly changeLog: ChangeLogRepository,
    private readonly outbox: Outbox,
    private readonly transactions: Transactions,
    private readonly errorResponses: ErrorResponses,
    private readonly clock: Clock,
  ) {
    this.commit = new GroupCommit(services, writes);
  }

  /**
   * @throws DomainError 400 for a phone of another lead, or a merged lead that cannot be stored
   * @throws DatabaseUnavailableError after DATABASE_DEADLINE_MS (rule HTTP-12)
   */
  async upsert(
    caller: Caller,
    { dryRun: isDryRun = false, ...payload }: SingleLead,
  ): Promise<LeadUpsertResult> {
    const request = leadRequest(caller, payload);
    const result = isDryRun
      ? await this.dryRun(request)
      : await this.commit.submit(request, payload);
    noteUnmatchedProject(caller, result);
    return result;
  }

  /**
   * Upserts one lead after another in one transaction; a dry run stores nothing.
   *
   * @param alsoStore joins the transaction; not called in a dry run
   */
  async upsertAll(
    caller: Caller,
    { leads, dryRun: isDryRun = false }: LeadBatch,
    alsoStore: (response: LeadBatchResponseDto, now: Date) => Promise<void> = async () => {},
  ): Promise<LeadBatchResponseDto> {
    const batch: Batch<LeadRequest, LeadUpsertResult, BatchResponse> = {
      ...batchOf(
        caller,
        leads.map((lead) => batchRequest(caller, lead)),
      ),
      responseTo: (outcomes) => {
        return { status: 200, body: this.batchResponse(caller, outcomes, isDryRun), outcomes };
      },
      alsoStore: (response, now) => alsoStore(response.body, now),
    };
    const { body, outcomes } = isDryRun
      ? await this.commit.dryRun(batch)
      : await this.commit.submitAll(batch);
    this.report(caller, outcomes);
    return body;
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
    const lead = await this.transactions.run(() => this.softDelete(caller, recordSystemId), {
      expiresAt: caller.expiresAt,
    });
    return { ok: true, operation: 'delete', lead: present(LeadDocument, lead) };
  }

  /** Returns the response that the request would have (rule LEAD-17). */
  private dryRun(request: LeadRequest): Promise<LeadUpsertResult> {
    return this.commit.dryRun({
      ...batchOf(request.caller, [request]),
      responseTo: ([outcome]) => {
        if (outcome?.status !== 'fulfilled') throw outcome?.reason;
        const { body } = outcome.value;
        if (body.operation === 'update') return outcome.value;
        const lead = { ...body.lead, leadId: null };
        return { ...outcome.value, body: { ...body, lead, newLead: lead } };
      },
      alsoStore: async () => {},
    });
  }

  private async softDelete(caller: Caller, recordSystemId: string): Promise<LeadDocument> {
    const { organizationId, requestId } = caller;
    const now = this.clock.now();
    const lead = await this.findActive(organizationId, recordSystemId);
    const fields = { isDeleted: true, deletedAt: now, updatedAt: now };
    await this.leads.write(organizationId, [{ _id: lead._id, fields }]);
    const changes = [{ field: 'isDeleted', from: false, to: true }];
    const entry = leadLogEntry('delete', lead, changes, caller);
    await this.changeLog.addLeadChanges(organizationId, [entry], now);
    const event = leadEvent('delete', lead, changes, requestId);
    await this.outbox.publish(organizationId, [event], now);
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

  private batchResponse(
    { language }: Caller,
    outcomes: readonly WriteOutcome<LeadUpsertResult>[],
    isDryRun: boolean,
  ): LeadBatchResponseDto {
    const newIds = new Set<string>();
    const results = outcomes.map((outcome, index): LeadResultDto => {
      if (outcome.status === 'rejected') {
        const error = toDomainError(outcome.reason);
        const { body } = this.errorResponses.responseTo(error, language);
        return { index, ...body, errorCode: error.definition.code };
      }
      const { status: statusCode, headers, body } = outcome.value;
      const { operation, lead } = body;
      if (operation === 'create') newIds.add(lead._id);
      const isUnnumbered = isDryRun && newIds.has(lead._id);
      return {
        index,
        statusCode,
        operation,
        lead: isUnnumbered ? { ...lead, leadId: null } : lead,
        ...('x-unmatched-project' in headers && { unmatchedProject: true }),
      };
    });
    const count = (operation: LeadResultDto['operation']) =>
      results.filter((result) => result.operation === operation).length;
    const refused = count(undefined);
    const [created, updated] = [count('create'), count('update')];
    return { ok: refused === 0, created, updated, refused, results };
  }

  /** Adds rejections and unmatched projects to the request log once, however often the transaction ran. */
  private report(caller: Caller, outcomes: readonly WriteOutcome<LeadUpsertResult>[]): void {
    for (const outcome of outcomes) {
      if (outcome.status === 'fulfilled') {
        noteUnmatchedProject(caller, outcome.value);
        continue;
      }
      const error = toDomainError(outcome.reason);
      caller.failures?.push(error);
      if (error.status >= 500)
        this.logger.error(
          { err: outcome.reason as unknown },
          'Could not process a lead of a batch',
        );
    }
  }
}

function batchOf(caller: Caller, requests: readonly LeadRequest[]) {
  const fullError = new DomainError(leadErrors.batchFull, { limit: maxBatchMebibytes });
  return { caller, requests, maxBytes: maxBatchMebibytes * mebibyte, fullError };
}

function noteUnmatchedProject({ notices }: Caller, { isProjectUnmatched }: LeadUpsertResult): void {
  if (isProjectUnmatched) notices?.add('lead.project_unmatched');
}

function leadRequest(caller: Caller, payload: LeadPayload): LeadRequest {
  return { caller, payload, data: mergeFlatFields(payload) };
}

/** Rejects a lead for the same reasons as a single request. */
function batchRequest(caller: Caller, lead: LeadBatch['leads'][number]): LeadRequest {
  try {
    if (lead === null) throw new DomainError(httpErrors.bodyMustBeObject);
    if (lead instanceof DomainError) throw lead;
    assertValid(lead);
    return leadRequest(caller, lead);
  } catch (error) {
    return { ...leadRequest(caller, {}), refusal: error as Error };
  }
}
