import { Injectable } from '@nestjs/common';
import { BSON } from 'mongodb';
import type { Types } from 'mongoose';
import type { Caller } from '../../authentication/caller.js';
import { NotLoadedError } from '../../clients/client-records.js';
import { Clock } from '../../configuration/clock.js';
import {
  GroupedTransactions,
  type GroupedTransactionStats,
} from '../../database/transactions/grouped-transactions.js';
import { Transactions } from '../../database/transactions/transactions.js';
import { IdempotencyService } from '../../http/idempotency/idempotency.service.js';
import type { Organization } from '../../organizations/organization.js';
import { mebibyte } from '../../values/numbers.js';
import { LeadNumbers, type ReservedNumbers } from '../lead-numbers.js';
import { type LeadPayload, requestData } from '../lead-merge.js';
import { decideLead } from './decide-lead.js';
import { leadUpsertAnswer } from './lead-answer.js';
import { countCreated, type LeadDecision, type LeadRequest, withNumbers } from './lead-decision.js';
import { LeadDecisionsWriter } from './lead-decisions-writer.js';
import type { LeadRecords } from './lead-records.js';
import { LeadRecordsLoader } from './lead-records-loader.js';

/** What goes together at most: requests, and bytes of them. */
const limits = { count: 32, bytes: mebibyte };
/** A group ends early when it has this much to store. */
const storedBytesLimit = 16 * mebibyte;

type Outcome = PromiseSettledResult<LeadDecision>;

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
  private readonly groups: GroupedTransactions<LeadRequest, LeadDecision>;

  constructor(
    transactions: Transactions,
    private readonly loader: LeadRecordsLoader,
    private readonly writer: LeadDecisionsWriter,
    private readonly numbers: LeadNumbers,
    private readonly idempotency: IdempotencyService,
    private readonly clock: Clock,
  ) {
    const work = {
      begin: ({ caller }: LeadRequest) => this.begin(caller),
      queueKeys: async ({ caller, payload: { recordSystemId } }: LeadRequest) =>
        recordSystemId === undefined ? [] : [leadQueueKey(caller.organizationId, recordSystemId)],
    };
    this.groups = new GroupedTransactions(transactions, work, limits);
  }

  /** What groups there were and are. */
  stats(): GroupedTransactionStats {
    return this.groups.stats();
  }

  /**
   * Creates a lead, or merges a request into the active lead with its `recordSystemId`.
   *
   * @throws DomainError 400 for a phone that another lead has, or a merged lead that cannot be stored
   * @throws DatabaseUnavailableError when DATABASE_DEADLINE_MS is over (rule HTTP-12)
   */
  async upsert(caller: Caller, payload: LeadPayload): Promise<LeadDecision> {
    const request = { caller, payload, data: requestData(payload) };
    const bytes = BSON.calculateObjectSize(payload);
    return this.groups.submit(caller.organizationId.toHexString(), request, bytes);
  }

  private begin({ organization }: Caller) {
    const numbers = this.numbers.reserve(organization._id);
    return {
      run: (requests: readonly LeadRequest[]) =>
        this.decideAndStore(organization, requests, numbers),
      onDuplicateKey: (index: string) => numbers.onDuplicateKey(index),
    };
  }

  /** The outcomes of as many requests, from the first on, as fit into one transaction. */
  private async decideAndStore(
    organization: Organization,
    requests: readonly LeadRequest[],
    numbers: ReservedNumbers,
  ): Promise<Outcome[]> {
    const { records, outcomes } = await this.decide(organization, requests);
    const decided = outcomes.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
    if (decided.length === 0) return outcomes;
    const decisions = withNumbers(decided, await numbers.take(countCreated(decided)));
    const numbered = decisions.values();
    const settled = outcomes.map((one) =>
      one.status === 'fulfilled' ? { ...one, value: numbered.next().value ?? one.value } : one,
    );
    const { _id } = organization;
    await this.writer.store(_id, records.clients.changes(), decisions);
    await this.idempotency.completeGroup(_id, requests, settled, leadUpsertAnswer);
    return settled;
  }

  /** What decisions asked for that few do is loaded in a second go. */
  private async decide(organization: Organization, requests: readonly LeadRequest[]) {
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

/** Decides requests one after the other, until there is enough to store. */
function decideAll(records: LeadRecords, requests: readonly LeadRequest[], now: Date): Outcome[] {
  const outcomes: Outcome[] = [];
  let bytes = 0;
  for (const request of requests) {
    if (bytes > storedBytesLimit) break;
    try {
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
