import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { Clock } from '../../core/configuration/clock.js';
import type { BatchedUpdates } from '../../core/database/documents/tenant-queries.js';
import {
  duplicateKey,
  isDatabaseUnavailable,
} from '../../core/database/connection/database-errors.js';
import { OutboxEventsRepository } from '../../events/outbox/outbox-events.repository.js';
import { Transactions } from '../../core/database/transactions/transactions.js';
import { IdempotencyService } from '../../core/idempotency/idempotency.service.js';
import {
  redactEvent,
  type ErasedLeads,
  LeadErasuresService,
} from '../../leads/erasure/lead-erasures.service.js';
import { defaultCountry, type Organization } from '../../tenants/organizations/organization.js';
import { OrganizationsRepository } from '../../tenants/organizations/organizations.repository.js';
import { WebhookDeliveriesService } from '../../webhooks/deliveries/webhook-deliveries.service.js';
import { type ErasureCounts, type ErasureDocument, zeroCounts } from './erasure.schema.js';
import { ErasuresRepository } from './erasures.repository.js';

/** Concurrent requests about the same leads may delay an erasure for this time, in ms. */
const maxWaitMs = 30_000;

interface RemovalResult {
  readonly counts: ErasureCounts;
  readonly keptClientIds: readonly string[];
}

export interface ErasureReport extends RemovalResult {
  /** After this time, no stored response to an `Idempotency-Key` shows the leads. */
  readonly storedResponsesEndAt: Date;
}

interface ErasureOutcome extends ErasureReport {
  /** Number of completed erasures. */
  readonly erasures: number;
  readonly failures: readonly string[];
}

type Progress = (done: number, total: number) => void;
type Ids = readonly Types.ObjectId[];

/** Removes personal data in repeatable steps that a ledger records (rule LEAD-15). */
@Injectable()
export class ErasuresService {
  constructor(
    private readonly ledger: ErasuresRepository,
    private readonly transactions: Transactions,
    private readonly organizations: OrganizationsRepository,
    private readonly leads: LeadErasuresService,
    private readonly events: OutboxEventsRepository,
    private readonly deliveries: WebhookDeliveriesService,
    private readonly idempotency: IdempotencyService,
    private readonly clock: Clock,
  ) {}

  /** May be repeated, which removes later values. @throws Error that names the failed erasures; the others are done */
  async erase({ _id }: Organization, leadIds: Ids, isDryRun = false): Promise<ErasureReport> {
    if (isDryRun) return this.reportOf([await this.run(this.newErasure(_id, leadIds), true)]);
    const recorded = await this.record(_id, leadIds);
    const { erasures: _erasures, failures, ...report } = await this.runEach(recorded);
    const failure = failureMessage(failures);
    if (failure !== undefined) throw new Error(failure);
    return report;
  }

  async resume({ _id }: Organization): Promise<ErasureOutcome> {
    return this.runEach(await this.ledger.findUnfinished(_id));
  }

  async list(): Promise<ErasureDocument[]> {
    return this.ledger.list();
  }

  /** Repeats every erasure after a restore, including those of a ledger kept elsewhere. */
  async reapply(
    entries: readonly Pick<ErasureDocument, 'organizationId' | 'leadIds'>[],
    progress: Progress,
  ): Promise<ErasureOutcome> {
    for (const { organizationId, leadIds } of entries) await this.record(organizationId, leadIds);
    return this.runEach(await this.list(), progress);
  }

  /** Records new leads, and returns all erasures of the leads. */
  private async record(organizationId: Types.ObjectId, leadIds: Ids): Promise<ErasureDocument[]> {
    for (;;) {
      const entered = await this.ledger.findByLeads(organizationId, leadIds);
      const missing = missingFrom(entered, leadIds);
      if (missing.length === 0) return entered;
      try {
        await this.ledger.insert(this.newErasure(organizationId, missing));
      } catch (error) {
        // Another process may have recorded one of them at the same moment.
        if (duplicateKey(error) === undefined) throw error;
      }
    }
  }

  private newErasure(organizationId: Types.ObjectId, leadIds: Ids): ErasureDocument {
    const now = this.clock.now();
    return {
      _id: new Types.ObjectId(),
      organizationId,
      leadIds: [...leadIds],
      completedAt: null,
      counts: { ...zeroCounts },
      createdAt: now,
      updatedAt: now,
    };
  }

  /** Continues after a failure unless the database does not respond to two erasures in a row. */
  private async runEach(
    erasures: readonly ErasureDocument[],
    progress: Progress = () => {},
  ): Promise<ErasureOutcome> {
    const reports: RemovalResult[] = [];
    const failures: string[] = [];
    let isUnavailable = false;
    for (const erasure of erasures) {
      try {
        reports.push(await this.run(erasure));
        isUnavailable = false;
      } catch (error) {
        // A single transaction that takes too long says nothing about the next one.
        if (isUnavailable && isDatabaseUnavailable(error)) throw error;
        isUnavailable = isDatabaseUnavailable(error);
        failures.push(`${erasure._id.toHexString()} (${(error as Error).message})`);
      }
      progress(reports.length + failures.length, erasures.length);
    }
    return { ...this.reportOf(reports), erasures: reports.length, failures };
  }

  /**
   * First removes values of leads and clients in one transaction, so that nothing read from them can be stored
   * afterwards; then removes values that are found by their ids.
   */
  private async run(erasure: ErasureDocument, isDryRun = false): Promise<RemovalResult> {
    const { organizationId, leadIds } = erasure;
    const counts = { ...zeroCounts };
    const add = async (kind: keyof ErasureCounts, parts: AsyncGenerator<BatchedUpdates>) => {
      for await (const { count, write } of parts) {
        counts[kind] += count;
        if (isDryRun) continue;
        await this.transactions.run(async () => {
          await write();
          await this.ledger.addCounts(erasure, { [kind]: count });
        });
      }
    };
    const organization = await this.organizationOf(organizationId);
    const notListed = async (ids: Ids) =>
      missingFrom(await this.ledger.findByLeads(organizationId, ids), ids);
    const { leads, clients, clientIds, keptClientIds } = await this.transactions.run(
      async () => {
        const erased = await this.leads.erase({ organization, leadIds, notListed });
        await this.ledger.addCounts(erasure, { leads: erased.leads, clients: erased.clients });
        return erased;
      },
      { isDryRun, expiresAt: Date.now() + maxWaitMs },
    );
    Object.assign(counts, { leads, clients });
    const ids = hexOf([...leadIds, ...clientIds]);
    await add('changeLogEntries', this.leads.changeLogUpdates(organizationId, leadIds));
    await add('events', this.events.erase(organizationId, ids, redactEvent));
    await add('attempts', this.deliveries.eraseResponses(organizationId, ids));
    if (!isDryRun) await this.ledger.complete(erasure, this.clock.now());
    return { counts, keptClientIds: hexOf(keptClientIds) };
  }

  private reportOf(removed: readonly RemovalResult[]): ErasureReport {
    const counts = { ...zeroCounts };
    for (const kind of Object.keys(zeroCounts) as (keyof ErasureCounts)[]) {
      for (const removal of removed) counts[kind] += removal.counts[kind];
    }
    const kept = new Set(removed.flatMap(({ keptClientIds }) => keptClientIds));
    const storedResponsesEndAt = this.idempotency.storedResponsesEndAt();
    return { counts, keptClientIds: [...kept], storedResponsesEndAt };
  }

  /** A deleted organization is no longer found, but its leads can still be erased by its id. */
  private async organizationOf(_id: Types.ObjectId): Promise<ErasedLeads['organization']> {
    return (await this.organizations.find(_id)) ?? { _id, phoneCountry: defaultCountry };
  }
}

export function failureMessage(failures: readonly string[]): string | undefined {
  if (failures.length === 0) return undefined;
  const erasures = failures.length === 1 ? 'This erasure' : `These ${failures.length} erasures`;
  return (
    `${erasures} could not be finished: ${failures.join(', ')}. The others are done. ` +
    'Correct the documents that the database refuses, then repeat the command.'
  );
}

function missingFrom(erasures: readonly ErasureDocument[], ids: Ids): Types.ObjectId[] {
  const listed = new Set(erasures.flatMap(({ leadIds }) => hexOf(leadIds)));
  return ids.filter((id) => !listed.has(id.toHexString()));
}

function hexOf(ids: Ids): string[] {
  return ids.map((id) => id.toHexString());
}
