import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../core/configuration/clock.js';
import { Snapshots } from '../core/database/transactions/sessions.js';
import { Transactions } from '../core/database/transactions/transactions.js';
import { DomainError } from '../core/errors/domain-error.js';
import { ErrorResponses, toDomainError } from '../core/errors/error-responses.js';
import { httpErrors } from '../core/errors/http-errors.js';
import { IdempotencyService } from '../core/idempotency/idempotency.service.js';
import { assertValid } from '../core/validation/validate-dto.js';
import { mebibyte } from '../core/values/numbers.js';
import type { Caller } from '../tenants/keys/caller.js';
import type { LeadBatchResponseDto, LeadResultDto } from './dto/lead.dto.js';
import type { LeadBatchDto, UpsertLeadDto } from './dto/upsert-lead.dto.js';
import { leadErrors } from './lead-errors.js';
import {
  decideAll,
  type LeadOutcome,
  leadRequest,
  noteUnmatchedProject,
} from './upsert/lead-outcomes.js';
import type { LeadWorkingSet, LeadRequest } from './upsert/lead-working-set.js';
import { LeadWorkingSetService } from './upsert/lead-working-set.service.js';

/** Once leads of a batch take this many MiB, the remaining ones are refused. */
const maxBatchMebibytes = 8;

/** Some leads may already be refused, for example for invalid JSON. */
interface LeadBatch extends Pick<LeadBatchDto, 'dryRun'> {
  readonly leads: readonly (UpsertLeadDto | null | DomainError)[];
}

/** Stores together with the results of a batch. */
type AlsoStore = (response: LeadBatchResponseDto, now: Date) => Promise<void>;

/** Upserts one lead after another in one transaction. */
@Injectable()
export class LeadBatchesService {
  private readonly logger = new Logger(LeadBatchesService.name);

  constructor(
    private readonly store: LeadWorkingSetService,
    private readonly transactions: Transactions,
    private readonly snapshots: Snapshots,
    private readonly idempotency: IdempotencyService,
    private readonly errorResponses: ErrorResponses,
    private readonly clock: Clock,
  ) {}

  /** @param alsoStore joins the transaction; not called in a dry run, which stores nothing */
  async upsertAll(
    caller: Caller,
    { leads, dryRun: isDryRun = false }: LeadBatch,
    alsoStore: AlsoStore = async () => {},
  ): Promise<LeadBatchResponseDto> {
    const requests = leads.map((lead) => batchRequest(caller, lead));
    const outcomes = isDryRun
      ? await this.snapshots.withSnapshot(() => this.decide(requests))
      : await this.upsert(caller, requests, alsoStore);
    this.report(caller, outcomes);
    return this.responseTo(caller, outcomes, isDryRun);
  }

  /** Batches have a lane of their own: a single lead never waits for them. */
  private async upsert(
    caller: Caller,
    requests: readonly LeadRequest[],
    alsoStore: AlsoStore,
  ): Promise<readonly LeadOutcome[]> {
    if (requests.length === 0) return [];
    const { organizationId, expiresAt } = caller;
    const upsert = async () => {
      const now = this.clock.now();
      const { workingSet, count } = await this.store.load(requests, { now });
      const outcomes = decideBatch(workingSet, requests, count);
      await this.store.store(workingSet);
      const body = this.responseTo(caller, outcomes, false);
      await alsoStore(body, now);
      await this.idempotency.complete(caller, { status: 200, body }, now);
      return outcomes;
    };
    return this.transactions.run(upsert, {
      expiresAt,
      oneAtATime: { organizationId, record: 'batch' },
      onDuplicateKey: (index) => this.store.onDuplicateKey(index, caller),
    });
  }

  private async decide(requests: readonly LeadRequest[]): Promise<readonly LeadOutcome[]> {
    if (requests.length === 0) return [];
    const now = this.clock.now();
    const { workingSet, count } = await this.store.load(requests, { now, isDryRun: true });
    return decideBatch(workingSet, requests, count);
  }

  private responseTo(
    { language }: Caller,
    outcomes: readonly LeadOutcome[],
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

  /** Adds refusals and unmatched projects to the request log once, however often the transaction ran. */
  private report(caller: Caller, outcomes: readonly LeadOutcome[]): void {
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

/** Refuses the leads for which the batch has no room. */
function decideBatch(
  workingSet: LeadWorkingSet,
  requests: readonly LeadRequest[],
  count: number,
): LeadOutcome[] {
  const maxBytes = maxBatchMebibytes * mebibyte;
  const outcomes = decideAll(workingSet, requests.slice(0, count), maxBytes);
  const reason = new DomainError(leadErrors.batchFull, { limit: maxBatchMebibytes });
  const refused = requests
    .slice(outcomes.length)
    .map(() => ({ status: 'rejected', reason }) as const);
  return [...outcomes, ...refused];
}

/** Refuses a lead for the same reasons as a single request. */
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
