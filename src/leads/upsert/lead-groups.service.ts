import { Inject, Injectable, Logger } from '@nestjs/common';
import { BSON } from 'mongodb';
import type { Types } from 'mongoose';
import type { Caller } from '../../authentication/caller.js';
import { NotLoadedError } from '../../clients/client-records.js';
import { Clock } from '../../configuration/clock.js';
import { ENVIRONMENT, type Environment } from '../../configuration/environment.js';
import {
  DatabaseUnavailableError,
  isDatabaseUnavailable,
} from '../../database/connection/database-errors.js';
import { type GroupStats, RequestGroups } from '../../database/transactions/request-groups.js';
import {
  ContentionError,
  endOfWork,
  Transactions,
  type TransactionOptions,
} from '../../database/transactions/transactions.js';
import { type InTrace, inCurrentTrace } from '../../operations/tracing/traced.js';
import type { Organization } from '../../organizations/organization.js';
import { mebibyte } from '../../values/numbers.js';
import type { ClaimedAnswer, IdempotencyClaim } from '../../http/idempotency/idempotency-claim.js';
import { LeadNumbers } from '../lead-numbers.js';
import { type LeadPayload, requestData } from '../lead-merge.js';
import { decideLead } from './decide-lead.js';
import { leadUpsertAnswer } from './lead-answer.js';
import { countCreated, type LeadDecision, type LeadRequest, withNumbers } from './lead-decision.js';
import { LeadDecisionsWriter } from './lead-decisions-writer.js';
import type { LeadRecords } from './lead-records.js';
import { LeadRecordsLoader } from './lead-records-loader.js';

/** What goes together at most: requests, and bytes of them. */
const limits = { count: 32, bytes: mebibyte };
/** How long a group is held up by a transaction that does not end, in milliseconds. */
const conflictPatienceMs = 500;
/** A group ends early when it has this much to store. */
const storedBytesLimit = 16 * mebibyte;

interface GroupedRequest extends LeadRequest {
  readonly organization: Organization;
  readonly claim: IdempotencyClaim | undefined;
  /** When the request gets its 503, in milliseconds since 1970. */
  readonly expiresAt: number;
  /** Until when it may be decided, so that its commit comes before that. */
  readonly decidableUntil: number;
  /** A group runs after others, in the trace of its first request. */
  readonly inTrace: InTrace;
}

/** A request that is held up leaves its group with a promise. */
type Decided = LeadDecision | Promise<LeadDecision>;
type Outcome = PromiseSettledResult<Decided>;

/** What requests about a lead wait for inside a process. */
export function leadQueueKey(organizationId: Types.ObjectId, recordSystemId: string): string {
  return `lead:${organizationId.toHexString()}:${recordSystemId}`;
}

/**
 * Lead requests of one organization, in groups: each sees what those before it decided, one that is
 * refused changes nothing, and one transaction stores what the others changed (rule LEAD-11).
 */
@Injectable()
export class LeadGroupsService {
  private readonly logger = new Logger(LeadGroupsService.name);
  private readonly groups = new RequestGroups<GroupedRequest, Decided>(
    (requests) => this.runInTime(requests),
    limits,
  );
  private heldUp = 0;

  constructor(
    private readonly transactions: Transactions,
    private readonly loader: LeadRecordsLoader,
    private readonly writer: LeadDecisionsWriter,
    private readonly numbers: LeadNumbers,
    private readonly clock: Clock,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /** With how many groups another transaction has held up. */
  stats(): GroupStats & { readonly heldUp: number } {
    return { ...this.groups.stats(), heldUp: this.heldUp };
  }

  /**
   * Creates a lead, or merges a request into the active lead with its `recordSystemId`.
   *
   * @throws DomainError 400 for a phone that another lead has, or a merged lead that cannot be stored
   * @throws DatabaseUnavailableError when DATABASE_DEADLINE_MS is over (rule HTTP-12)
   */
  async upsert(
    { organization, language, requestId, claim }: Caller,
    payload: LeadPayload,
  ): Promise<LeadDecision> {
    const deadlineMs = this.environment.DATABASE_DEADLINE_MS;
    const expiresAt = Date.now() + deadlineMs;
    const decidableUntil = endOfWork(expiresAt, deadlineMs);
    const data = requestData(payload);
    const request = {
      requestId,
      organization,
      language,
      claim,
      payload,
      data,
      expiresAt,
      decidableUntil,
      inTrace: inCurrentTrace(),
    };
    const bytes = BSON.calculateObjectSize(payload);
    return this.groups.submit(organization._id.toHexString(), request, bytes);
  }

  /** Nothing is loaded for those whose time was over while they waited. */
  private async runInTime(requests: readonly GroupedRequest[]): Promise<Outcome[]> {
    const inTime = new Set(requests.filter((request) => !isOver(request)));
    const outcomes = (await this.run([...inTime])).values();
    return requests.map((request) => {
      const outcome = inTime.has(request) ? outcomes.next().value : undefined;
      return outcome ?? { status: 'rejected', reason: new DatabaseUnavailableError() };
    });
  }

  private async run(requests: readonly GroupedRequest[]): Promise<Outcome[]> {
    if (requests.length === 0) return [];
    try {
      const outcomes = await this.runTogether(requests, { conflictPatienceMs });
      return [...outcomes, ...(await this.run(requests.slice(outcomes.length)))];
    } catch (reason) {
      // Nothing was stored. Whoever holds what one of them writes must not hold up the others.
      if (reason instanceof ContentionError) {
        this.heldUp += 1;
        this.logger.warn({ requests: requests.length }, 'A transaction held up a group of leads');
        return requests.map((request) => ({
          status: 'fulfilled',
          value: this.runAlone(request),
        }));
      }
      // Whether the database has stored the group may be unknown: repeating it could do so twice.
      if (requests.length === 1 || isDatabaseUnavailable(reason)) {
        return requests.map(() => ({ status: 'rejected', reason }));
      }
      const outcomes: Outcome[] = [];
      for (const request of requests) outcomes.push(...(await this.run([request])));
      return outcomes;
    }
  }

  /** Decides a request beside the groups, for as long as it has time. */
  private async runAlone(request: GroupedRequest): Promise<LeadDecision> {
    const { organization, payload } = request;
    const { recordSystemId } = payload;
    const queueKeys =
      recordSystemId === undefined ? [] : [leadQueueKey(organization._id, recordSystemId)];
    const [outcome] = await this.runTogether([request], { queueKeys });
    if (outcome?.status === 'fulfilled') return outcome.value;
    throw outcome?.reason;
  }

  private async runTogether(
    requests: readonly GroupedRequest[],
    options: TransactionOptions,
  ): Promise<Outcome[]> {
    // The newest request knows the newest settings.
    const organization = requests.at(-1)?.organization;
    const [first] = requests;
    if (organization === undefined || first === undefined) return [];
    const { _id } = organization;
    // Numbers outlive the attempts of the transaction, so that a lost race wastes none.
    let numbers: number[] = [];
    const numbersFor = async (count: number) => {
      numbers.push(...(await this.numbers.next(_id, Math.max(0, count - numbers.length))));
      return numbers;
    };
    const run = () =>
      this.transactions.run(() => this.attempt(organization, requests, numbersFor), {
        ...options,
        expiresAt: Math.max(...requests.map(({ expiresAt }) => expiresAt)),
        onDuplicateKey: async (index) => {
          const last = numbers.at(-1);
          if (index !== 'leadId' || last === undefined) return;
          await this.numbers.skipTaken(_id, last);
          numbers = [];
        },
      });
    return first.inTrace(run);
  }

  /** The outcomes of as many requests, from the first on, as fit into one transaction. */
  private async attempt(
    organization: Organization,
    requests: readonly GroupedRequest[],
    numbersFor: (count: number) => Promise<readonly number[]>,
  ): Promise<Outcome[]> {
    const { records, outcomes } = await this.decide(organization, requests);
    const decided = outcomes.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
    if (decided.length === 0) return outcomes;
    const decisions = withNumbers(decided, await numbersFor(countCreated(decided)));
    const numbered = decisions.values();
    const settled = outcomes.map((one) =>
      one.status === 'fulfilled' ? { ...one, value: numbered.next().value ?? one.value } : one,
    );
    const answers = claimedAnswers(requests, settled);
    await this.writer.store(organization._id, records.clients.changes(), decisions, answers);
    return settled;
  }

  /** What decisions asked for that few do is loaded in a second go. */
  private async decide(organization: Organization, requests: readonly GroupedRequest[]) {
    const decideOver = async (options: { readonly isExhaustive: boolean }) => {
      const { records, count } = await this.loader.load(organization, requests, options);
      const outcomes = decideAll(records, requests.slice(0, count), this.clock.now());
      return { records, outcomes };
    };
    try {
      return await decideOver({ isExhaustive: false });
    } catch (error) {
      if (error instanceof NotLoadedError) return decideOver({ isExhaustive: true });
      throw error;
    }
  }
}

/** Whether a request may get its response before it could be stored. */
function isOver({ decidableUntil }: GroupedRequest): boolean {
  return Date.now() >= decidableUntil;
}

/** The answers that are stored with what they tell. */
function claimedAnswers(
  requests: readonly GroupedRequest[],
  outcomes: readonly PromiseSettledResult<LeadDecision>[],
): ClaimedAnswer[] {
  return outcomes.flatMap((one, index) => {
    const claim = requests[index]?.claim;
    if (claim === undefined || one.status === 'rejected') return [];
    return { claim, answer: leadUpsertAnswer(one.value) };
  });
}

/** Decides requests one after the other, until there is enough to store. */
function decideAll(
  records: LeadRecords,
  requests: readonly GroupedRequest[],
  now: Date,
): PromiseSettledResult<LeadDecision>[] {
  const outcomes: PromiseSettledResult<LeadDecision>[] = [];
  let bytes = 0;
  for (const request of requests) {
    if (bytes > storedBytesLimit) break;
    try {
      if (isOver(request)) throw new DatabaseUnavailableError();
      const value = decideLead(records, request, now);
      records.put(value);
      bytes += value.bytes;
      outcomes.push({ status: 'fulfilled', value });
    } catch (reason) {
      if (reason instanceof NotLoadedError) throw reason;
      outcomes.push({ status: 'rejected', reason });
    }
  }
  return outcomes;
}
