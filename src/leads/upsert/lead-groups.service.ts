import { Injectable } from '@nestjs/common';
import { BSON } from 'mongodb';
import type { Types } from 'mongoose';
import type { Caller } from '../../tenants/keys/caller.js';
import { NotLoadedError } from '../../tenants/clients/client-records.js';
import { Clock } from '../../core/configuration/clock.js';
import {
  DatabaseUnavailableError,
  isDatabaseUnavailable,
} from '../../core/database/connection/database-errors.js';
import { GroupedTransactions } from '../../core/database/transactions/grouped-transactions.js';
import { Transactions } from '../../core/database/transactions/transactions.js';
import { DomainError } from '../../core/http/errors/domain-error.js';
import type { Answer } from '../../core/idempotency/idempotency-claim.js';
import { IdempotencyService } from '../../core/idempotency/idempotency.service.js';
import type { Organization } from '../../tenants/organizations/organization.js';
import { Metrics } from '../../core/observability/metrics.js';
import { mebibyte } from '../../core/values/numbers.js';
import { LeadNumbers, type ReservedNumbers } from '../lead-numbers.js';
import { leadErrors } from '../lead-errors.js';
import type { LeadPayload } from '../lead-merge.js';
import { decideAll } from './decide-leads.js';
import {
  countCreated,
  type LeadDecision,
  type LeadOutcome,
  type LeadRequest,
  withNumbers,
} from './lead-decision.js';
import { LeadDecisionsWriter } from './lead-decisions-writer.js';
import {
  batchLimit,
  batchOf,
  type LeadBatch,
  type LeadSubmission,
  type SettledSubmission,
  settle,
  singleLead,
} from './lead-submission.js';
import { LeadRecordsLoader } from './lead-records-loader.js';

/** What goes together at most: requests, and bytes of them. */
const limits = { count: 32, bytes: mebibyte };
/** A transaction of single requests ends when it has this much to store. */
const storedBytesLimit = 16 * mebibyte;

/** A transaction in the making. */
interface OpenGroup {
  readonly organization: Organization;
  readonly numbers?: ReservedNumbers;
  readonly outcomes: LeadOutcome[];
}

/** What requests about a lead wait for inside a process. */
export function leadQueueKey(organizationId: Types.ObjectId, recordSystemId: string): string {
  return `lead:${organizationId.toHexString()}:${recordSystemId}`;
}

/**
 * Lead requests of one organization, in groups: each sees what those before it decided, one that is
 * refused changes nothing, and one transaction stores what the others changed (rule LEAD-11). A batch
 * is a group of its own (rule LEAD-14).
 */
@Injectable()
export class LeadGroupsService {
  private readonly groups: GroupedTransactions<LeadSubmission, SettledSubmission>;

  constructor(
    private readonly transactions: Transactions,
    private readonly loader: LeadRecordsLoader,
    private readonly writer: LeadDecisionsWriter,
    private readonly numbers: LeadNumbers,
    private readonly idempotency: IdempotencyService,
    private readonly clock: Clock,
    metrics: Metrics,
  ) {
    const work = {
      begin: ({ caller }: LeadSubmission) => this.begin(caller),
      queueKeys: async ({ caller, leads }: LeadSubmission) =>
        leads.flatMap(({ payload: { recordSystemId } }) =>
          recordSystemId === undefined ? [] : leadQueueKey(caller.organizationId, recordSystemId),
        ),
    };
    this.groups = new GroupedTransactions(transactions, work, limits, { metrics, kind: 'lead' });
  }

  /**
   * Creates a lead, or merges a request into the active lead with its `recordSystemId`.
   *
   * @throws DomainError 400 for a phone that another lead has, or a merged lead that cannot be stored
   * @throws DatabaseUnavailableError when DATABASE_DEADLINE_MS is over (rule HTTP-12)
   */
  async upsert(caller: Caller, payload: LeadPayload): Promise<LeadDecision> {
    const submission = singleLead(caller, payload);
    const bytes = BSON.calculateObjectSize(payload);
    const { outcomes } = await this.submit(submission, bytes);
    const [outcome] = outcomes;
    if (outcome?.status === 'fulfilled') return outcome.value;
    throw outcome?.reason;
  }

  /**
   * Does for each lead what {@link upsert} does for one, in their order and in one transaction, which
   * also stores the answer if the caller has a claim: either all of it counts, or nothing.
   *
   * @param answerOf makes the answer of the outcomes, which are in the order of the leads
   * @param alsoStore joins the transaction
   * @throws DatabaseUnavailableError when DATABASE_DEADLINE_MS is over (rule HTTP-12)
   */
  async upsertAll<A extends Answer>(
    caller: Caller,
    payloads: readonly LeadPayload[],
    answerOf: (outcomes: readonly LeadOutcome[]) => A,
    alsoStore: LeadSubmission['alsoStore'] = async () => {},
  ): Promise<A> {
    return this.withoutRefused(batchOf(caller, payloads), async (batch) => {
      const submission = { ...batch, answerOf, alsoStore };
      // It leaves no room for others.
      const { outcomes } = await this.submit(submission, limits.bytes);
      return answerOf(outcomes);
    });
  }

  /**
   * What {@link upsertAll} would do now. Nothing is stored, and new leads have no numbers.
   *
   * @throws DatabaseUnavailableError when DATABASE_DEADLINE_MS is over (rule HTTP-12)
   */
  async rehearse(
    caller: Caller,
    payloads: readonly LeadPayload[],
  ): Promise<readonly LeadOutcome[]> {
    return this.withoutRefused(batchOf(caller, payloads), (batch) => this.rehearseBatch(batch));
  }

  private async rehearseBatch(batch: LeadBatch): Promise<readonly LeadOutcome[]> {
    const attempt = async () => {
      const group = { organization: batch.caller.organization, outcomes: [] };
      await this.decideAndStoreAll(group, batch);
      return group.outcomes;
    };
    const { expiresAt } = batch.caller;
    return this.transactions.run(attempt, { isRehearsal: true, expiresAt });
  }

  /** Runs a batch; a lead that the database does not store is refused alone, as it would be by itself. */
  private async withoutRefused<T>(
    batch: LeadBatch,
    run: (batch: LeadBatch) => Promise<T>,
  ): Promise<T> {
    const { expiresAt = Date.now() + this.transactions.deadlineMs } = batch.caller;
    for (let rest = batch; ;) {
      try {
        return await run(rest);
      } catch (refusal) {
        if (isDatabaseUnavailable(refusal) || refusal instanceof DomainError) throw refusal;
        const index = await this.firstRefused(rest, expiresAt);
        const lead = rest.leads[index];
        if (lead === undefined || lead.refusal !== undefined) throw refusal;
        rest = { ...rest, leads: rest.leads.with(index, { ...lead, refusal }) };
      }
    }
  }

  /** The first lead with which a batch cannot be stored, by halves; -1 where it is none of them. */
  private async firstRefused(batch: LeadBatch, expiresAt: number): Promise<number> {
    const isStorable = async (count: number) => {
      if (Date.now() > expiresAt) throw new DatabaseUnavailableError();
      try {
        await this.rehearseBatch({ ...batch, leads: batch.leads.slice(0, count) });
        return true;
      } catch (error) {
        if (isDatabaseUnavailable(error)) throw error;
        return false;
      }
    };
    let [storable, unstorable] = [0, batch.leads.length];
    if (await isStorable(unstorable)) return -1;
    while (unstorable - storable > 1) {
      const middle = Math.floor((storable + unstorable) / 2);
      if (await isStorable(middle)) storable = middle;
      else unstorable = middle;
    }
    return storable;
  }

  private submit(submission: LeadSubmission, bytes: number): Promise<SettledSubmission> {
    const { caller } = submission;
    return this.groups.submit(groupKey(caller), submission, bytes, caller.expiresAt);
  }

  private begin({ organization }: Caller) {
    const numbers = this.numbers.reserve(organization._id);
    return {
      run: (submissions: readonly LeadSubmission[]) =>
        this.runGroup({ organization, numbers, outcomes: [] }, submissions),
      onDuplicateKey: (index: string) => numbers.onDuplicateKey(index),
    };
  }

  /** What became of as many requests, from the first on, as fit into one transaction. */
  private async runGroup(
    group: OpenGroup,
    submissions: readonly LeadSubmission[],
  ): Promise<PromiseSettledResult<SettledSubmission>[]> {
    const [first] = submissions;
    if (first === undefined) return [];
    if (first.bytesLimit === undefined) {
      await this.decideAndStore(
        group,
        submissions.flatMap(({ leads }) => leads),
        storedBytesLimit,
      );
    } else {
      await this.decideAndStoreAll(group, { ...first, bytesLimit: first.bytesLimit });
    }
    await first.alsoStore?.(group.outcomes);
    const settled = settle(submissions, group.outcomes);
    await this.idempotency.completeGroup(
      group.organization._id,
      submissions,
      settled,
      ({ submission, outcomes }) => submission.answerOf(outcomes),
    );
    return settled;
  }

  /** Leads that are too large to be in memory together are decided one part after the other. */
  private async decideAndStoreAll(
    group: OpenGroup,
    { leads, bytesLimit }: { readonly leads: readonly LeadRequest[]; readonly bytesLimit: number },
  ): Promise<void> {
    const { outcomes } = group;
    let bytes = 0;
    while (outcomes.length < leads.length && bytes <= bytesLimit) {
      bytes += await this.decideAndStore(group, leads.slice(outcomes.length), bytesLimit - bytes);
    }
    const rest = leads.slice(outcomes.length);
    const reason = new DomainError(leadErrors.batchFull, { limit: batchLimit });
    outcomes.push(...rest.map(() => ({ status: 'rejected', reason }) as const));
  }

  /**
   * Adds the outcomes of as many requests, from the first on, as one part of the transaction takes.
   *
   * @returns about how many bytes they change
   */
  private async decideAndStore(
    { organization, numbers, outcomes }: OpenGroup,
    requests: readonly LeadRequest[],
    bytesLimit: number,
  ): Promise<number> {
    const part = await this.decide(organization, requests, bytesLimit);
    const decided = decisionsOf(part.outcomes);
    const used = countCreated(decisionsOf(outcomes));
    const taken = (await numbers?.take(used + countCreated(decided))) ?? [];
    const decisions = withNumbers(decided, taken.slice(used));
    const numbered = decisions.values();
    outcomes.push(
      ...part.outcomes.map((one) =>
        one.status === 'fulfilled' ? { ...one, value: numbered.next().value ?? one.value } : one,
      ),
    );
    if (decisions.length > 0) {
      await this.writer.store(organization._id, part.records.clients.changes(), decisions);
    }
    return decisions.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** What decisions asked for that few do is loaded in a second go. */
  private async decide(
    organization: Organization,
    requests: readonly LeadRequest[],
    bytesLimit: number,
  ) {
    const decideOver = async (options: { readonly isExhaustive: boolean }) => {
      const { records, count } = await this.loader.load(organization, requests, options);
      const now = this.clock.now();
      return { records, outcomes: decideAll(records, requests.slice(0, count), now, bytesLimit) };
    };
    try {
      return await decideOver({ isExhaustive: false });
    } catch (error) {
      if (error instanceof NotLoadedError) return decideOver({ isExhaustive: true });
      throw error;
    }
  }
}

function groupKey({ organizationId }: Caller): string {
  return organizationId.toHexString();
}

function decisionsOf(outcomes: readonly LeadOutcome[]): LeadDecision[] {
  return outcomes.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
}
