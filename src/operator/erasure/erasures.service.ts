import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import type { BatchedUpdates } from '../../core/database/documents/tenant-queries.js';
import { isDatabaseUnavailable } from '../../core/database/connection/database-errors.js';
import { Clock } from '../../core/configuration/clock.js';
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
import type { ErasureCounts, ErasureDocument } from './erasure.schema.js';
import { ErasuresRepository } from './erasures.repository.js';

/** More leads are no person's: they share something that is no real phone or email. */
const leadsLimit = 1_000;

/** How long requests about the same leads, which come without a pause, may hold up the erasure. */
const patienceMs = 30_000;

/** What was removed, or would be. */
interface Removed {
  readonly counts: ErasureCounts;
  /** The clients that stay because another lead has them. */
  readonly keptClientIds: readonly string[];
}

export interface ErasureReport extends Removed {
  /** When the last stored response to an `Idempotency-Key` is gone that may show the leads. */
  readonly storedResponsesEndAt: Date;
}

/** Takes how many of how many erasures are done. */
type Progress = (done: number, total: number) => void;

/**
 * Forgets people: what is stored of their leads is removed wherever it is, in steps that the ledger
 * knows and that may be repeated (rule LEAD-15).
 */
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
    private readonly clock: Clock,
  ) {}

  /** The leads with an external id, deleted ones included, or the one with that as its own id. */
  async leadsOf({ _id }: Organization, reference: string): Promise<readonly Types.ObjectId[]> {
    return this.leads.named(_id, reference);
  }

  /** The leads of a person that were not erased, for the operator to judge. */
  async leadsOfPerson(organization: Organization, person: Contact): Promise<LeadDto[]> {
    const ids = await this.leads.ofPerson(organization, person);
    if (ids.length > leadsLimit) {
      throw new Error(`${ids.length} leads were found, which are no single person's.`);
    }
    return this.leads.show(organization._id, ids);
  }

  /**
   * Erases leads with all that is stored about them; a repetition removes what has come since.
   *
   * @param isDryRun only tells what would be removed now
   * @throws Error that names the erasures that could not be done; the others are
   */
  async erase(
    organization: Organization,
    leadIds: readonly Types.ObjectId[],
    isDryRun = false,
  ): Promise<ErasureReport> {
    if (isDryRun) {
      const erasure = newErasure(organization, leadIds, this.clock.now());
      return this.reportOf(await this.run(erasure, organization, true));
    }
    const erasures = await this.enter(organization, leadIds);
    const { reports, failures } = await this.runEach(erasures, async () => organization);
    const failure = failureOf(failures);
    if (failure !== undefined) throw new Error(failure);
    return this.reportOf(summed(reports));
  }

  /** Finishes the erasures of an organization that were cut short, as far as each can be. */
  async resume(
    organization: Organization,
  ): Promise<{ readonly finished: number; readonly failures: readonly string[] }> {
    const erasures = await this.ledger.unfinished(organization._id);
    const { reports, failures } = await this.runEach(erasures, async () => organization);
    return { finished: reports.length, failures };
  }

  /** All that the ledger has. */
  async list(): Promise<readonly ErasureDocument[]> {
    return this.ledger.all();
  }

  /**
   * Does every erasure again, after a restore of what was stored before them.
   *
   * @param entries of a ledger that was kept apart, to be added first
   */
  async reapply(
    entries: readonly Pick<ErasureDocument, 'organizationId' | 'leadIds'>[],
    progress: Progress = () => {},
  ): Promise<ErasureReport & { readonly erasures: number; readonly failures: readonly string[] }> {
    for (const { organizationId, leadIds } of entries) {
      const { phoneCountry } = await this.organizationOf(organizationId);
      await this.enter({ _id: organizationId, phoneCountry }, leadIds);
    }
    const all = await this.ledger.all();
    const { reports, failures } = await this.runEach(
      all,
      ({ organizationId }) => this.organizationOf(organizationId),
      progress,
    );
    return { ...this.reportOf(summed(reports)), erasures: reports.length, failures };
  }

  /**
   * One that cannot be done, and why, keeps back no other.
   *
   * @throws Error when the database does not respond to two of them in a row
   */
  private async runEach(
    erasures: readonly ErasureDocument[],
    organizationOf: (erasure: ErasureDocument) => Promise<ErasedLeads['organization']>,
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
        // Also one that takes too long for a transaction, which says nothing of the next.
        if (isUnavailable && isDatabaseUnavailable(error)) throw error;
        isUnavailable = isDatabaseUnavailable(error);
        failures.push(`${erasure._id.toHexString()} (${(error as Error).message})`);
      }
      progress(reports.length + failures.length, erasures.length);
    }
    return { reports, failures };
  }

  /** Enters what the ledger lacks, and gives all erasures that are about the leads. */
  private async enter(
    organization: ErasedLeads['organization'],
    leadIds: readonly Types.ObjectId[],
  ): Promise<ErasureDocument[]> {
    for (;;) {
      const entered = await this.ledger.ofLeads(organization._id, leadIds);
      const missing = missingFrom(entered, leadIds);
      if (missing.length === 0) return entered;
      // Another process may enter one of them at the same moment.
      await this.ledger.insert(newErasure(organization, missing, this.clock.now()));
    }
  }

  /**
   * One transaction takes the values of leads and clients first, so that nothing can be stored that was
   * read from them; then the values go that are found by their ids.
   */
  private async run(
    erasure: ErasureDocument,
    organization: ErasedLeads['organization'],
    isDryRun: boolean,
  ): Promise<Removed> {
    const { organizationId, leadIds } = erasure;
    const counts = { ...noCounts };
    const add = async (kind: keyof ErasureCounts, parts: AsyncGenerator<BatchedUpdates>) => {
      for await (const { count, write } of parts) {
        counts[kind] += count;
        if (!isDryRun) await this.store(erasure, { [kind]: count }, write);
      }
    };
    const unlisted = async (ids: readonly Types.ObjectId[]) => this.unlisted(organizationId, ids);
    const erased = { organization, leadIds, unlisted };
    const { clientIds, keptClientIds, ...records } = await this.transactions.run(
      async () => {
        const { leads, clients, ...rest } = await this.leads.erase(erased);
        await this.ledger.count(erasure, { leads, clients });
        return { leads, clients, ...rest };
      },
      { isRehearsal: isDryRun, expiresAt: Date.now() + patienceMs },
    );
    counts.leads += records.leads;
    counts.clients += records.clients;
    const objectIds = [...hexOf([...leadIds, ...clientIds])];
    await add('changeLogEntries', this.leads.ofChangeLog(organizationId, leadIds));
    await add('events', this.events.erase(organizationId, objectIds, erasedEvent));
    await add('attempts', this.deliveries.eraseResponses(organizationId, objectIds));
    if (!isDryRun) await this.ledger.complete(erasure, this.clock.now());
    return { counts, keptClientIds: [...hexOf(keptClientIds)] };
  }

  private async store(
    erasure: ErasureDocument,
    counts: Partial<ErasureCounts>,
    write: () => Promise<void>,
  ): Promise<void> {
    await this.transactions.run(async () => {
      await write();
      await this.ledger.count(erasure, counts);
    });
  }

  private reportOf(removed: Removed): ErasureReport {
    return { ...removed, storedResponsesEndAt: this.idempotency.storedResponsesEndAt() };
  }

  /** The leads that the ledger does not know. */
  private async unlisted(
    organizationId: Types.ObjectId,
    ids: readonly Types.ObjectId[],
  ): Promise<Types.ObjectId[]> {
    return missingFrom(await this.ledger.ofLeads(organizationId, ids), ids);
  }

  /** Of a deleted organization nothing matters but whose it is. */
  private async organizationOf(_id: Types.ObjectId): Promise<ErasedLeads['organization']> {
    const [organization] = await this.organizations.findAll([_id]);
    return organization ?? { _id, phoneCountry: defaultCountry };
  }
}

/** Names the erasures that could not be done; undefined without any. */
export function failureOf(failures: readonly string[]): string | undefined {
  if (failures.length === 0) return undefined;
  const erasures = failures.length === 1 ? 'This erasure' : `These ${failures.length} erasures`;
  return (
    `${erasures} could not be finished: ${failures.join(', ')}. The others are done. ` +
    'Correct the documents that the database refuses, then repeat the command.'
  );
}

const noCounts = {
  leads: 0,
  clients: 0,
  changeLogEntries: 0,
  events: 0,
  attempts: 0,
} satisfies ErasureCounts;

function newErasure(
  { _id: organizationId }: ErasedLeads['organization'],
  leadIds: readonly Types.ObjectId[],
  now: Date,
): ErasureDocument {
  return {
    _id: new Types.ObjectId(),
    organizationId,
    leadIds: [...leadIds],
    completedAt: null,
    counts: { ...noCounts },
    createdAt: now,
    updatedAt: now,
  };
}

function summed(reports: readonly Removed[]): Removed {
  const counts: Record<string, number> = { ...noCounts };
  for (const report of reports) {
    for (const [kind, count] of Object.entries(report.counts)) {
      counts[kind] = (counts[kind] ?? 0) + (count as number);
    }
  }
  const kept = new Set(reports.flatMap(({ keptClientIds }) => keptClientIds));
  return { counts: counts as unknown as ErasureCounts, keptClientIds: [...kept] };
}

/** The leads that no erasure is about. */
function missingFrom(
  erasures: readonly ErasureDocument[],
  ids: readonly Types.ObjectId[],
): Types.ObjectId[] {
  const known = hexOf(erasures.flatMap(({ leadIds }) => leadIds));
  return ids.filter((id) => !known.has(id.toHexString()));
}

function hexOf(ids: readonly Types.ObjectId[]): Set<string> {
  return new Set(ids.map((id) => id.toHexString()));
}
