import { Injectable, Logger } from '@nestjs/common';
import type { Caller } from '../../tenants/keys/caller.js';
import { DomainError } from '../../core/http/errors/domain-error.js';
import { ErrorResponses, toDomainError } from '../../core/http/errors/error-responses.js';
import { httpErrors } from '../../core/http/errors/http-errors.js';
import type { Answer } from '../../core/idempotency/idempotency-claim.js';
import { upsertStatus } from '../../core/http/server/upsert-status.js';
import { assertValid } from '../../core/http/validation/validation.pipe.js';
import type { UpsertLeadDto } from '../dto/upsert-lead.dto.js';
import type { LeadPayload } from '../lead-merge.js';
import { presentLead } from '../lead.presenter.js';
import type { LeadDecision, LeadOutcome } from '../upsert/lead-decision.js';
import { LeadGroupsService } from '../upsert/lead-groups.service.js';
import type { LeadBatchDto, LeadBatchResponseDto, LeadResultDto } from './lead-batch.dto.js';

/** Whether a lead of a batch is well-formed. */
type Checked = PromiseSettledResult<LeadPayload>;

/** Many leads in one request (rule LEAD-14). */
@Injectable()
export class LeadBatchesService {
  private readonly logger = new Logger(LeadBatchesService.name);

  constructor(
    private readonly groups: LeadGroupsService,
    private readonly errorResponses: ErrorResponses,
  ) {}

  /**
   * Creates or updates each lead as a request of its own would, one after the other, in one
   * transaction; or only tells what that would do.
   *
   * @param alsoStore what is stored with the leads, after their response
   * @throws DatabaseUnavailableError when DATABASE_DEADLINE_MS is over (rule HTTP-12)
   */
  async upsert(
    caller: Caller,
    { leads, dryRun = false }: LeadBatchDto,
    alsoStore: (response: LeadBatchResponseDto) => Promise<void> = async () => {},
  ): Promise<LeadBatchResponseDto> {
    const checked = await Promise.allSettled(leads.map((lead) => check(lead)));
    const payloads = checked.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
    if (dryRun || payloads.length === 0) {
      const outcomes = payloads.length === 0 ? [] : await this.groups.rehearse(caller, payloads);
      const response = this.response(caller, checked, outcomes, dryRun);
      if (!dryRun) await alsoStore(response);
      return response;
    }
    const answerOf = (outcomes: readonly LeadOutcome[]) => this.answer(caller, checked, outcomes);
    const { body } = await this.groups.upsertAll(caller, payloads, answerOf, (outcomes) =>
      alsoStore(answerOf(outcomes).body),
    );
    return body;
  }

  private answer(
    caller: Caller,
    checked: readonly Checked[],
    outcomes: readonly LeadOutcome[],
  ): Required<Answer<LeadBatchResponseDto>> {
    return { status: 200, headers: {}, body: this.response(caller, checked, outcomes, false) };
  }

  /** @param outcomes of the leads that are well-formed */
  private response(
    caller: Caller,
    checked: readonly Checked[],
    outcomes: readonly LeadOutcome[],
    isDryRun: boolean,
  ): LeadBatchResponseDto {
    const remaining = outcomes.values();
    const all = checked.map((one) =>
      one.status === 'fulfilled' ? (remaining.next().value as LeadOutcome) : one,
    );
    const isUnnumbered = isDryRun ? createdBy(outcomes) : () => false;
    const results = all.map((outcome, index) =>
      outcome.status === 'fulfilled'
        ? accepted(index, outcome.value, isUnnumbered(outcome.value))
        : this.refused(index, outcome.reason, caller),
    );
    const count = (operation: LeadResultDto['operation']) =>
      results.filter((result) => result.operation === operation).length;
    const refused = count(undefined);
    const [created, updated] = [count('create'), count('update')];
    return { ok: refused === 0, created, updated, refused, results };
  }

  private refused(index: number, reason: unknown, { language }: Caller): LeadResultDto {
    const error = toDomainError(reason);
    if (error.status >= 500) this.logger.error({ err: reason }, 'A lead of a batch failed');
    const { body } = this.errorResponses.of(error, language);
    return { index, ...body, errorCode: error.definition.code };
  }
}

/** @throws DomainError 400 for a lead that a request of its own could not bring */
async function check(lead: UpsertLeadDto | null): Promise<UpsertLeadDto> {
  if (lead === null) throw new DomainError(httpErrors.bodyMustBeObject);
  await assertValid(lead);
  return lead;
}

function accepted(
  index: number,
  { operation, lead }: LeadDecision,
  isUnnumbered: boolean,
): LeadResultDto {
  const presented = presentLead(lead);
  return {
    index,
    statusCode: upsertStatus(operation),
    operation,
    lead: isUnnumbered ? { ...presented, leadId: null } : presented,
  };
}

/** Whether a decision is about a lead that did not exist before. */
function createdBy(outcomes: readonly LeadOutcome[]): (decision: LeadDecision) => boolean {
  const created = outcomes.flatMap((one) =>
    one.status === 'fulfilled' && one.value.operation === 'create'
      ? one.value.lead._id.toHexString()
      : [],
  );
  const ids = new Set(created);
  return ({ lead }) => ids.has(lead._id.toHexString());
}
