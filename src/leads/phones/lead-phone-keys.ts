import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { AnyBulkWriteOperation } from 'mongodb';
import { rejectedWrites } from '../../core/database/connection/database-errors.js';
import {
  type CrossTenantCollection,
  InjectCrossTenant,
} from '../../core/database/documents/cross-tenant-collection.js';
import { bufferedBatches } from '../../core/database/documents/tenant-queries.js';
import { notDeleted } from '../../core/database/documents/tenant-document.js';
import { externallyChangedIndex, type LeadDocument } from '../lead.schema.js';
import { Clock } from '../../core/configuration/clock.js';
import { type Lease, Leases } from '../../core/database/leases/leases.js';
import { PollingLoop } from '../../core/database/leases/polling-loop.js';
import { commitLagMs } from '../../core/database/transactions/transactions.js';
import { Metrics } from '../../core/observability/metrics.js';
import { hourMs } from '../../core/values/time.js';
import { clearPhoneCache } from '../../tenants/contacts/phone-number.js';
import { defaultCountry, type Organization } from '../../tenants/organizations/organization.js';
import { OrganizationsRepository } from '../../tenants/organizations/organizations.repository.js';
import { derivePhoneKeys, hasCurrentPhoneKeys } from './lead-phones.js';

type LeadPhones = Pick<
  LeadDocument,
  '_id' | 'organizationId' | 'data' | 'phoneKeysOf' | 'updatedAt'
>;

const projection = {
  organizationId: 1,
  'data.phoneNumber': 1,
  'data.phoneNumber2': 1,
  phoneKeysOf: 1,
  updatedAt: 1,
};

const batchSize = 500;
/** Parsing phones is slow, so the job yields to the event loop after this many leads. */
const leadsPerTurn = 25;
const intervalMs = 5_000;
/** Another instance takes over if the owner has not renewed its lease for this time, in ms. */
const leaseMs = 15_000;
/** After a country change, requests may still store keys of the old country for this time, in ms. */
const countryLagMs = 30_000;
/** Bounds the memory for failures; a lead whose failure was dropped is only retried. */
const maxFailedLeads = 10_000;

/** Other programs write phones in any spelling (rule DATA-7). One instance at a time derives their keys. */
@Injectable()
export class LeadPhoneKeys implements OnModuleDestroy {
  private readonly logger = new Logger(LeadPhoneKeys.name);
  private readonly loop = new PollingLoop(
    'Could not update the phone keys of leads; retrying in 5 seconds',
    () => this.run(),
    () => intervalMs,
  );
  private isStopping = false;
  private readonly lease: Lease;
  private phonesForgottenAt = new Date(0);
  private readonly failedLeads = new LRUCache<string, string>({ max: maxFailedLeads });
  /** Countries of recently changed organizations, with the time when this process first saw them. */
  private readonly countries = new Map<string, { country: string; seenAt: Date }>();
  private readonly derivedLeads;
  private readonly failures;

  constructor(
    @InjectCrossTenant('Lead') private readonly leads: CrossTenantCollection<LeadDocument>,
    private readonly organizations: OrganizationsRepository,
    private readonly clock: Clock,
    leases: Leases,
    metrics: Metrics,
  ) {
    this.derivedLeads = metrics.counter(
      'phone_key_leads_total',
      'Leads of other programs whose phone keys this process has derived.',
    );
    this.failures = metrics.counter(
      'phone_key_failures_total',
      'Leads of other programs whose phone keys could not be derived.',
    );
    this.lease = leases.create('lead-phone-keys', leaseMs);
  }

  async onModuleDestroy(): Promise<void> {
    this.isStopping = true;
    await this.loop.stop();
    // If the release fails, the lease simply expires.
    await this.lease.release().catch(() => undefined);
  }

  start(): void {
    this.loop.start();
  }

  async run(): Promise<void> {
    const now = this.clock.now();
    // A process must not keep parsed phones for longer than an hour.
    if (now.getTime() - this.phonesForgottenAt.getTime() >= hourMs) {
      clearPhoneCache();
      this.phonesForgottenAt = now;
    }
    if (!(await this.isOwner())) return;
    // If the clock was set back, the watermark may be in the future.
    const seenUpTo = Math.min(this.lease.watermark.getTime(), now.getTime());
    const since = new Date(Math.max(0, seenUpTo - commitLagMs));
    const organizations = await this.withNewCountry(since, now);
    for await (const leads of this.findOutdated(since, organizations, batchSize)) {
      await this.derive(leads);
      if (!(await this.isOwner())) return;
    }
    await this.lease.advance(now);
  }

  private async isOwner(): Promise<boolean> {
    return !this.isStopping && (await this.lease.acquire());
  }

  /** Finds leads without keys, leads that another program has written, and leads with keys of an earlier country. */
  private async *findOutdated(
    since: Date,
    organizations: readonly Organization[],
    limit: number,
  ): AsyncGenerator<LeadPhones[], void> {
    const { allTenants } = this.leads;
    const unionWith = (filter: object) => {
      const pipeline = [{ $match: { ...notDeleted, ...filter } }, { $project: { _id: 1 } }];
      return { $unionWith: { coll: allTenants.collectionName, pipeline } };
    };
    const byCountry = Map.groupBy(organizations, ({ phoneCountry }) => phoneCountry);
    const found = allTenants.aggregate<Pick<LeadDocument, '_id'>>(
      [
        { $match: { ...notDeleted, updatedAt: { $gte: since } } },
        // A computed field lets the index alone decide: a comparison in the filter would read every lead.
        { $project: { isOwn: { $eq: ['$updatedAt', '$phoneKeysAt'] } } },
        { $match: { isOwn: false } },
        { $project: { _id: 1 } },
        unionWith({ phoneKeysOf: null }),
        // A pipeline has at most a thousand stages, and each country needs one.
        ...[...byCountry].map(([country, some]) => {
          // `phoneKeysOf` is a JSON list that begins with the country.
          const start = JSON.stringify([country]).slice(0, -1);
          const $or = [{ phoneKeysOf: { $lt: start } }, { phoneKeysOf: { $gt: `${start}\uffff` } }];
          return unionWith({ organizationId: { $in: some.map(({ _id }) => _id) }, $or });
        }),
      ],
      { hint: externallyChangedIndex, batchSize: limit },
    );
    for await (const some of bufferedBatches(found, limit)) {
      const filter = { _id: { $in: some.map(({ _id }) => _id) }, ...notDeleted };
      const options = { projection, hint: { _id: 1 } } as const;
      yield await allTenants.find<LeadPhones>(filter, options).toArray();
    }
  }

  /** Finds organizations whose leads may have keys of an earlier country; logs invalid countries. */
  private async withNewCountry(since: Date, now: Date): Promise<Organization[]> {
    const updated = await this.organizations.listUpdatedSince(since);
    return updated.filter(({ _id, phoneCountry, unknownPhoneCountry }) => {
      const organization = _id.toHexString();
      const country = unknownPhoneCountry ?? phoneCountry;
      const known = this.countries.get(organization);
      if (known?.country === country) return now.getTime() - known.seenAt.getTime() < countryLagMs;
      this.countries.set(organization, { country, seenAt: now });
      if (unknownPhoneCountry !== null) {
        const details = { organization, stored: unknownPhoneCountry, used: phoneCountry };
        this.logger.warn(
          details,
          'Unknown phone country, using the default; set it with org update --phone-country',
        );
      }
      return true;
    });
  }

  /** One unusable lead of another program must not stop the rest. */
  private async derive(leads: readonly LeadPhones[]): Promise<void> {
    const untried = leads.filter(
      (lead) => this.failedLeads.get(String(lead._id)) !== stateOf(lead),
    );
    if (untried.length === 0) return;
    const ids = new Map(untried.map(({ organizationId: id }) => [String(id), id]));
    const organizations = await this.organizations.findAll([...ids.values()]);
    const countries = new Map(
      organizations.map(({ _id, phoneCountry }) => [String(_id), phoneCountry]),
    );
    const derivable: LeadPhones[] = [];
    const operations: AnyBulkWriteOperation<LeadDocument>[] = [];
    for (const [index, lead] of untried.entries()) {
      if (index % leadsPerTurn === 0) await nextTurn();
      const { _id, updatedAt, organizationId, data } = lead;
      try {
        const country = countries.get(organizationId.toHexString()) ?? defaultCountry;
        const derived = hasCurrentPhoneKeys(lead, country) ? {} : derivePhoneKeys(data, country);
        const update = { $set: { ...derived, phoneKeysAt: updatedAt } };
        // The filter skips leads that were written meanwhile.
        operations.push({ updateOne: { filter: { _id, updatedAt }, update } });
        derivable.push(lead);
      } catch (error) {
        this.reportFailed(lead, error);
      }
    }
    if (operations.length > 0) {
      const stored = this.leads.allTenants.bulkWrite(operations, { ordered: false });
      for (const { index, errmsg } of await rejectedWrites(stored)) {
        const lead = derivable[index];
        if (lead !== undefined) this.reportFailed(lead, errmsg);
      }
    }
    this.derivedLeads.inc(untried.length);
  }

  private reportFailed(lead: LeadPhones, error: unknown): void {
    const id = String(lead._id);
    this.failedLeads.set(id, stateOf(lead));
    this.failures.inc();
    this.logger.warn(
      { err: error, lead: id },
      'Could not compute the phone keys of a lead; retrying when it changes',
    );
  }
}

function stateOf({ updatedAt, organizationId }: LeadPhones): string {
  return JSON.stringify([updatedAt, organizationId]);
}
