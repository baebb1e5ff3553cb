import { Injectable, Logger } from '@nestjs/common';
import type { Caller } from '../../tenants/keys/caller.js';
import { DomainError } from '../../core/http/errors/domain-error.js';
import { ErrorResponses, toDomainError } from '../../core/http/errors/error-responses.js';
import { httpErrors } from '../../core/http/errors/http-errors.js';
import { assertValid } from '../../core/http/validation/validation.pipe.js';
import { mebibyte } from '../../core/values/numbers.js';
import type { Outcome } from '../../core/writes/write-kind.js';
import type { UpsertLeadDto } from '../dto/upsert-lead.dto.js';
import { leadErrors } from '../lead-errors.js';
import type { LeadPayload } from '../lead-merge.js';
import { type LeadResponse, LeadsService } from '../leads.service.js';
import type { LeadBatchDto, LeadBatchResponseDto, LeadResultDto } from './lead-batch.dto.js';

/** Of a batch, which its one response shows, no more is decided beyond so many MiB. */
const batchLimit = 8;

/** Whether a lead of a batch is well-formed. */
type Checked = PromiseSettledResult<LeadPayload>;

/** Many leads in one request (rule LEAD-14). */
@Injectable()
export class LeadBatchesService {
  private readonly logger = new Logger(LeadBatchesService.name);

  constructor(
    private readonly service: LeadsService,
    private readonly errorResponses: ErrorResponses,
  ) {}

  /**
   * Creates or updates each lead as a request of its own would, one after the other, in one
   * transaction; or only says what that would do.
   *
   * @param alsoStore stored with the leads; not of a dry run
   * @throws DatabaseUnavailableError when DATABASE_DEADLINE_MS is over (rule HTTP-12)
   */
  async upsert(
    caller: Caller,
    { leads, dryRun: isDryRun = false }: LeadBatchDto,
    alsoStore: (response: LeadBatchResponseDto, now?: Date) => Promise<void> = async () => {},
  ): Promise<LeadBatchResponseDto> {
    const checked = await Promise.allSettled(leads.map((lead) => check(lead)));
    const payloads = checked.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
    const answerOf = (outcomes: readonly Outcome<LeadResponse>[]) => ({
      status: 200,
      body: this.response(caller, checked, outcomes, isDryRun),
    });
    if (payloads.length === 0) {
      const { body } = answerOf([]);
      if (!isDryRun) await alsoStore(body);
      return body;
    }
    const { body } = await this.service.upsertAll(
      {
        maxBytes: batchLimit * mebibyte,
        fullError: new DomainError(leadErrors.batchFull, { limit: batchLimit }),
        answerOf,
        alsoStore: (answer, now) => alsoStore(answer.body, now),
      },
      { caller, payloads, isDryRun },
    );
    return body;
  }

  /** @param outcomes of the leads that are well-formed */
  private response(
    caller: Caller,
    checked: readonly Checked[],
    outcomes: readonly Outcome<LeadResponse>[],
    isDryRun: boolean,
  ): LeadBatchResponseDto {
    const remaining = outcomes.values();
    const results = checked.map((one, index) => {
      const outcome = one.status === 'fulfilled' ? (remaining.next().value ?? one) : one;
      if (outcome.status === 'rejected') return this.refused(index, outcome.reason, caller);
      return accepted(index, outcome.value as LeadResponse, isDryRun);
    });
    const count = (operation: LeadResultDto['operation']) =>
      results.filter((result) => result.operation === operation).length;
    const refused = count(undefined);
    const [created, updated] = [count('create'), count('update')];
    return { ok: refused === 0, created, updated, refused, results };
  }

  private refused(index: number, reason: unknown, caller: Caller): LeadResultDto {
    const error = toDomainError(reason);
    caller.failures?.push(error);
    if (error.status >= 500) this.logger.error({ err: reason }, 'A lead of a batch failed');
    const { body } = this.errorResponses.of(error, caller.language);
    return { index, ...body, errorCode: error.definition.code };
  }
}

/** @throws DomainError 400 for a lead that a request of its own could not bring */
async function check(lead: UpsertLeadDto | null): Promise<UpsertLeadDto> {
  if (lead === null) throw new DomainError(httpErrors.bodyMustBeObject);
  await assertValid(lead);
  return lead;
}

/** In a dry run a new lead has no number. */
function accepted(
  index: number,
  { status: statusCode, body: { operation, lead }, isNew }: LeadResponse,
  isDryRun: boolean,
): LeadResultDto {
  return {
    index,
    statusCode,
    operation,
    lead: isDryRun && isNew ? { ...lead, leadId: null } : lead,
  };
}
