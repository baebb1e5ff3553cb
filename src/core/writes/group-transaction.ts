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
  Decided,
  LoadOptions,
  WriteOutcome,
  PendingWrites,
  WriteKind,
  WriteRequest,
} from './write-kind.js';

/** A transaction of single requests ends when it has this much to store. */
const maxStoredBytes = 16 * mebibyte;

/** The services that every kind of write needs. */
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
    private readonly kind: WriteKind<Request, Records, Decision, Response>,
  ) {}

  /** Returns the outcomes of as many requests, from the first on, as one transaction should store. */
  async run(requests: readonly Request[]): Promise<WriteOutcome<Response>[]> {
    const [first] = requests;
    // Stryker disable next-line ArrayDeclaration: without requests, nobody reads the outcomes.
    if (first === undefined) return [];
    const options = this.optionsFor(first, false);
    const { outcomes, records } = await this.decide(requests, maxStoredBytes, options);
    await this.store(records, options);
    const responses = outcomes.flatMap((outcome, index) => {
      const { caller } = requests[index] as Request;
      // Without a claim, the controller or the error filter makes the response.
      return caller.claim === undefined
        ? []
        : { caller, response: this.responseTo(outcome, caller) };
    });
    await this.services.idempotency.completeAll(responses, options.now);
    return outcomes;
  }

  async runBatch<Whole extends ServiceResponse>(
    batch: Batch<Request, Response, Whole>,
  ): Promise<Whole> {
    const { caller, requests } = batch;
    const options = this.optionsFor(batch, false);
    const { outcomes, records } = await this.decide(requests, batch.maxBytes, options);
    await this.store(records, options);
    const response = batch.responseTo(withRefusals(batch, outcomes));
    await batch.alsoStore(response, options.now);
    await this.services.idempotency.completeAll([{ caller, response }], options.now);
    return response;
  }

  /** The response that a batch would get now; takes no lock and opens no transaction. */
  async dryRun<Whole extends ServiceResponse>(
    batch: Batch<Request, Response, Whole>,
  ): Promise<Whole> {
    if (batch.requests.length === 0) return batch.responseTo([]);
    const { outcomes } = await this.services.snapshots.during(() =>
      this.decide(batch.requests, batch.maxBytes, this.optionsFor(batch, true)),
    );
    return batch.responseTo(withRefusals(batch, outcomes));
  }

  /** The clock is read once in a transaction. */
  private optionsFor({ caller }: WriteRequest, isDryRun: boolean): LoadOptions {
    return { organizationId: caller.organizationId, now: this.services.clock.now(), isDryRun };
  }

  /** Stops when the requests have changed so much, or take too much memory together. */
  private async decide(
    requests: readonly Request[],
    maxBytes: number,
    options: LoadOptions,
  ): Promise<{ outcomes: WriteOutcome<Response>[]; records: Records }> {
    const { records, count } = await this.kind.load(requests, options);
    const decisions: WriteOutcome<Decided<Request, Decision>>[] = [];
    for (const request of requests.slice(0, count)) {
      if (records.bytes > maxBytes) break;
      decisions.push(this.decideOne(records, request));
    }
    const accepted = decisions.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
    // Reading the references of a response may take several queries at a time.
    const responses = await withoutSession(async () => this.kind.respond(accepted));
    let next = 0;
    const outcomes = decisions.map((one): WriteOutcome<Response> =>
      one.status === 'rejected' ? one : { ...one, value: responses[next++] as Response },
    );
    return { outcomes, records };
  }

  private decideOne(records: Records, request: Request) {
    try {
      const value = { request, decision: this.kind.decide(records, request) };
      return { status: 'fulfilled', value } as const;
    } catch (reason) {
      return { status: 'rejected', reason } as const;
    }
  }

  private async store(records: Records, { organizationId, now }: LoadOptions): Promise<void> {
    await this.services.transactions.lock(organizationId, records.lockKeys, now);
    await this.kind.store(records, organizationId);
  }

  private responseTo(
    outcome: WriteOutcome<Response>,
    { language }: WriteRequest['caller'],
  ): ServiceResponse {
    if (outcome.status === 'fulfilled') return outcome.value;
    return this.services.errorResponses.of(toDomainError(outcome.reason), language);
  }
}

/** With the refusal of the requests for which a batch had no room. */
function withRefusals<Request, Response, Whole extends ServiceResponse>(
  { requests, fullError: reason }: Batch<Request, Response, Whole>,
  outcomes: readonly WriteOutcome<Response>[],
): WriteOutcome<Response>[] {
  const refused = requests
    .slice(outcomes.length)
    .map(() => ({ status: 'rejected', reason }) as const);
  return [...outcomes, ...refused];
}
