import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { BatchedUpdates } from '../../core/database/documents/tenant-queries.js';
import { isDatabaseUnavailable } from '../../core/database/connection/database-errors.js';
import type { Contact } from '../../tenants/contacts/contact.js';
import { EventHistoryService } from '../../events/outbox/event-history.service.js';
import { Transactions } from '../../core/database/transactions/transactions.js';
import { IdempotencyService } from '../../core/idempotency/idempotency.service.js';
import type { LeadDto } from '../../leads/dto/lead.dto.js';
import {
  erasedEvent,
  type ErasedLeads,
  LeadErasuresService,
} from '../../leads/erasure/lead-erasures.service.js';
import { defaultCountry, type Organization } from '../../tenants/organizations/organization.js';
import { OrganizationsRepository } from '../../tenants/organizations/organizations.repository.js';
import { WebhookDeliveriesService } from '../../webhooks/deliveries/webhook-deliveries.service.js';
import { type ErasureCounts, type ErasureDocument, noCounts } from './erasure.schema.js';
import { ErasuresRepository } from './erasures.repository.js';

/** More leads share something that is no real phone or email. */
const maxLeads = 1_000;

/** An erasure waits so long for requests about the same leads that follow each other without a pause. */
const maxWaitMs = 30_000;

interface Removed {
  readonly counts: ErasureCounts;
  readonly keptClientIds: readonly string[];
}

export interface ErasureReport extends Removed {
  /** From then on no stored response to an `Idempotency-Key` shows the leads. */
  readonly storedResponsesEndAt: Date;
}

type Progress = (done: number, total: number) => void;
type Owner = ErasedLeads['organization'];

/** Removes the stored values of people's leads, in steps that the ledger lists and that may be repeated (rule LEAD-15). */
@Injectable()
export class ErasuresService {
  constructor(
    private readonly transactions: Transactions,
    private readonly ledger: ErasuresRepository,
    private readonly organizations: OrganizationsRepository,
    private readonly leads: LeadErasuresService,
    private readonly events: EventHistoryService,
    private readonly deliveries: WebhookDeliveriesService,
    private readonly idempotency: IdempotencyService,
  ) {}

  /** By external id or own id, deleted leads included. */
  async leadsOf({ _id }: Organization, reference: string): Promise<readonly Types.ObjectId[]> {
    return this.leads.named(_id, reference);
  }

  async leadsOfPerson(organization: Organization, person: Contact): Promise<LeadDto[]> {
    const ids = await this.leads.ofPerson(organization, person);
    if (ids.length > maxLeads) {
      throw new Error(`${ids.length} leads match more than one person; refine the search.`);
    }
    return this.leads.show(organization._id, ids);
  }

  /**
   * Erases leads and all values about them; a repetition removes values that were stored since.
   *
   * @param isDryRun reports without removing
   * @throws Error that names the erasures that failed; the others are done
   */
  async erase(
    organization: Organization,
    leadIds: readonly Types.ObjectId[],
    isDryRun = false,
  ): Promise<ErasureReport> {
    if (isDryRun) {
      const erasure = this.ledger.newErasure(organization._id, leadIds);
      return this.reportOf(await this.run(erasure, organization, true));
    }
    const erasures = await this.ledger.record(organization._id, leadIds);
    const { reports, failures } = await this.runEach(erasures, async () => organization);
    const failure = failureOf(failures);
    if (failure !== undefined) throw new Error(failure);
    return this.reportOf(summed(reports));
  }

  async resume(
    organization: Organization,
  ): Promise<{ readonly finished: number; readonly failures: readonly string[] }> {
    const erasures = await this.ledger.unfinished(organization._id);
    const { reports, failures } = await this.runEach(erasures, async () => organization);
    return { finished: reports.length, failures };
  }

  async list(): Promise<readonly ErasureDocument[]> {
    return this.ledger.all();
  }

  /** Repeats every erasure after a restore, and those of a ledger that was kept apart. */
  async reapply(
    entries: readonly Pick<ErasureDocument, 'organizationId' | 'leadIds'>[],
    progress: Progress = () => {},
  ): Promise<ErasureReport & { readonly erasures: number; readonly failures: readonly string[] }> {
    for (const { organizationId, leadIds } of entries) {
      await this.ledger.record(organizationId, leadIds);
    }
    const all = await this.ledger.all();
    const { reports, failures } = await this.runEach(
      all,
      ({ organizationId }) => this.organizationOf(organizationId),
      progress,
    );
    return { ...this.reportOf(summed(reports)), erasures: reports.length, failures };
  }

  /** A failed erasure stops the others only when the database does not respond to two in a row. */
  private async runEach(
    erasures: readonly ErasureDocument[],
    organizationOf: (erasure: ErasureDocument) => Promise<Owner>,
    progress: Progress = () => {},
  ): Promise<{ readonly reports: readonly Removed[]; readonly failures: readonly string[] }> {
    const reports: Removed[] = [];
    const failures: string[] = [];
    let isUnavailable = false;
    for (const erasure of erasures) {
      try {
        reports.push(await this.run(erasure, await organizationOf(erasure), false));
        isUnavailable = false;
      } catch (error) {
        // A transaction that takes too long says nothing about the next one.
        if (isUnavailable && isDatabaseUnavailable(error)) throw error;
        isUnavailable = isDatabaseUnavailable(error);
        failures.push(`${erasure._id.toHexString()} (${(error as Error).message})`);
      }
      progress(reports.length + failures.length, erasures.length);
    }
    return { reports, failures };
  }

  /**
   * One transaction removes the values of leads and clients first, so that nothing read from them can be stored
   * afterwards; then values that are found by their ids are removed.
   */
  private async run(
    erasure: ErasureDocument,
    organization: Owner,
    isDryRun: boolean,
  ): Promise<Removed> {
    const { organizationId, leadIds } = erasure;
    const counts = { ...noCounts };
    const add = async (kind: keyof ErasureCounts, parts: AsyncGenerator<BatchedUpdates>) => {
      for await (const { count, write } of parts) {
        counts[kind] += count;
        if (isDryRun) continue;
        await this.transactions.run(async () => {
          await write();
          await this.ledger.count(erasure, { [kind]: count });
        });
      }
    };
    const unlisted = async (ids: readonly Types.ObjectId[]) =>
      this.ledger.unrecordedIds(organizationId, ids);
    const erased = { organization, leadIds, unlisted };
    const { clientIds, keptClientIds, ...records } = await this.transactions.run(
      async () => {
        const { leads, clients, ...rest } = await this.leads.erase(erased);
        await this.ledger.count(erasure, { leads, clients });
        return { leads, clients, ...rest };
      },
      { isDryRun, expiresAt: Date.now() + maxWaitMs },
    );
    counts.leads += records.leads;
    counts.clients += records.clients;
    const objectIds = hexOf([...leadIds, ...clientIds]);
    await add('changeLogEntries', this.leads.ofChangeLog(organizationId, leadIds));
    await add('events', this.events.erase(organizationId, objectIds, erasedEvent));
    await add('attempts', this.deliveries.eraseResponses(organizationId, objectIds));
    if (!isDryRun) await this.ledger.complete(erasure);
    return { counts, keptClientIds: hexOf(keptClientIds) };
  }

  private reportOf(removed: Removed): ErasureReport {
    return { ...removed, storedResponsesEndAt: this.idempotency.storedResponsesEndAt() };
  }

  /** Of a deleted organization only the id matters. */
  private async organizationOf(_id: Types.ObjectId): Promise<Owner> {
    const [organization] = await this.organizations.findAll([_id]);
    return organization ?? { _id, phoneCountry: defaultCountry };
  }
}

export function failureOf(failures: readonly string[]): string | undefined {
  if (failures.length === 0) return undefined;
  const erasures = failures.length === 1 ? 'This erasure' : `These ${failures.length} erasures`;
  return (
    `${erasures} could not be finished: ${failures.join(', ')}. The others are done. ` +
    'Correct the documents that the database refuses, then repeat the command.'
  );
}

function summed(reports: readonly Removed[]): Removed {
  const counts = { ...noCounts };
  for (const report of reports) {
    for (const kind of Object.keys(noCounts) as (keyof ErasureCounts)[]) {
      counts[kind] += report.counts[kind];
    }
  }
  const kept = new Set(reports.flatMap(({ keptClientIds }) => keptClientIds));
  return { counts, keptClientIds: [...kept] };
}

function hexOf(ids: readonly Types.ObjectId[]): string[] {
  return ids.map((id) => id.toHexString());
}
