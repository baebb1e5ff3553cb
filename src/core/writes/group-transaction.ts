import { Injectable } from '@nestjs/common';
import { Clock } from '../configuration/clock.js';
import { Snapshots, withoutSession } from '../database/transactions/sessions.js';
import { Transactions } from '../database/transactions/transactions.js';
import { ErrorResponses, toDomainError } from '../http/errors/error-responses.js';
import type { ServiceResponse } from '../idempotency/idempotency-claim.js';
import { IdempotencyService } from '../idempotency/idempotency.service.js';
import { Metrics } from '../observability/metrics.js';
import { mebibyte } from '../values/numbers.js';
import type {
  Batch,
  DecidedRequest,
  LoadOptions,
  WriteOutcome,
  PendingWrites,
  WriteHandler,
  WriteRequest,
} from './write-handler.js';

/** A group of single requests commits once its writes reach this size. */
const maxStoredBytes = 16 * mebibyte;

@Injectable()
export class WriteServices {
  constructor(
    readonly transactions: Transactions,
    readonly snapshots: Snapshots,
    readonly idempotency: IdempotencyService,
    readonly errorResponses: ErrorResponses,
    readonly clock: Clock,
    readonly metrics: Metrics,
  ) {}
}

export class GroupTransaction<
  Request extends WriteRequest,
  Records extends PendingWrites,
  Decision,
  Response extends ServiceResponse,
> {
  constructor(
    private readonly services: WriteServices,
    private readonly handler: WriteHandler<Request, Records, Decision, Response>,
  ) {}

  /** Returns outcomes of as many leading requests as one transaction should store, or the response of a batch. */
  async run(
    requests: readonly Request[],
    batch?: Batch<Request, Response, ServiceResponse>,
  ): Promise<WriteOutcome<ServiceResponse>[]> {
    const [first] = requests;
    // Stryker disable next-line ArrayDeclaration: without requests, nobody reads the outcomes.
    if (first === undefined) return [];
    const { transactions, idempotency } = this.services;
    const options = this.optionsFor(first, false);
    const { organizationId, now } = options;
    const maxBytes = batch?.maxBytes ?? maxStoredBytes;
    const { outcomes, records } = await this.decide(requests, maxBytes, options);
    await transactions.lock(organizationId, records.lockKeys, now);
    await this.handler.store(records, organizationId);
    if (batch !== undefined) {
      const response = batch.responseTo(withRefusals(batch, outcomes));
      await batch.alsoStore(response, now);
      await idempotency.completeAll([{ caller: batch.caller, response }], now);
      return [{ status: 'fulfilled', value: response }];
    }
    const responses = outcomes.flatMap((outcome, index) => {
      const { caller } = requests[index] as Request;
      // Without a claim, the controller or the error filter makes the response.
      return caller.claim === undefined
        ? []
        : { caller, response: this.responseTo(outcome, caller) };
    });
    await idempotency.completeAll(responses, now);
    return outcomes;
  }

  /** Returns the response that a batch would get now; takes no lock and opens no transaction. */
  async dryRun<Whole extends ServiceResponse>(
    batch: Batch<Request, Response, Whole>,
  ): Promise<Whole> {
    if (batch.requests.length === 0) return batch.responseTo([]);
    const { outcomes } = await this.services.snapshots.withSnapshot(() =>
      this.decide(batch.requests, batch.maxBytes, this.optionsFor(batch, true)),
    );
    return batch.responseTo(withRefusals(batch, outcomes));
  }

  /** Reads the clock once per transaction. */
  private optionsFor({ caller }: WriteRequest, isDryRun: boolean): LoadOptions {
    return { organizationId: caller.organizationId, now: this.services.clock.now(), isDryRun };
  }

  /** Stops when changes or memory reach their limits. */
  private async decide(
    requests: readonly Request[],
    maxBytes: number,
    options: LoadOptions,
  ): Promise<{ outcomes: WriteOutcome<Response>[]; records: Records }> {
    const { records, count } = await this.handler.load(requests, options);
    const decisions: WriteOutcome<DecidedRequest<Request, Decision>>[] = [];
    for (const request of requests.slice(0, count)) {
      if (records.bytes > maxBytes) break;
      decisions.push(this.decideOne(records, request));
    }
    const accepted = decisions.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
    // The reads of a response may run in parallel, which a session does not allow.
    const responses = await withoutSession(async () => this.handler.respond(accepted));
    let next = 0;
    const outcomes = decisions.map((one): WriteOutcome<Response> =>
      one.status === 'rejected' ? one : { ...one, value: responses[next++] as Response },
    );
    return { outcomes, records };
  }

  private decideOne(records: Records, request: Request) {
    try {
      const value = { request, decision: this.handler.decide(records, request) };
      return { status: 'fulfilled', value } as const;
    } catch (reason) {
      return { status: 'rejected', reason } as const;
    }
  }

  private responseTo(
    outcome: WriteOutcome<Response>,
    { language }: WriteRequest['caller'],
  ): ServiceResponse {
    if (outcome.status === 'fulfilled') return outcome.value;
    return this.services.errorResponses.responseTo(toDomainError(outcome.reason), language);
  }
}

/** Adds rejections of requests for which a batch had no room. */
function withRefusals<Request, Response, Whole extends ServiceResponse>(
  { requests, fullError: reason }: Batch<Request, Response, Whole>,
  outcomes: readonly WriteOutcome<Response>[],
): WriteOutcome<Response>[] {
  const refused = requests
    .slice(outcomes.length)
    .map(() => ({ status: 'rejected', reason }) as const);
  return [...outcomes, ...refused];
}
