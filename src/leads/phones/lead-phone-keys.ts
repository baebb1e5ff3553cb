import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import type { CountryCode } from 'libphonenumber-js';
import type { Types } from 'mongoose';
import { LRUCache } from 'lru-cache';
import { Counter } from 'prom-client';
import { Clock } from '../../core/configuration/clock.js';
import { type Lease, Leases } from '../../core/database/leases/leases.js';
import { PollingLoop } from '../../core/database/leases/polling-loop.js';
import { Metrics } from '../../core/observability/metrics.js';
import { commitLagMs } from '../../core/database/transactions/transactions.js';
import { forgetPhones } from '../../tenants/contacts/phone-number.js';
import { defaultCountry, type Organization } from '../../tenants/organizations/organization.js';
import { OrganizationsRepository } from '../../tenants/organizations/organizations.repository.js';
import { hourMs, minuteMs } from '../../core/values/durations.js';
import {
  type DerivedLead,
  LeadPhoneKeysRepository,
  type LeadPhones,
} from './lead-phone-keys.repository.js';
import { derivedPhones, isDerived } from './lead-phones.js';

const batchSize = 500;
/** So many phones are parsed without a pause, in which requests would wait. */
const parsedTogether = 25;
const intervalMs = 5_000;
/** After which time without a sign of its owner another instance runs the pass. */
const leaseMs = 15_000;
/** How much later than its `updatedAt` a lead may be committed and still be found by the next pass. */
const overlapMs = 10_000;
/** How long phones that were parsed are kept in memory. */
const keptPhonesMs = hourMs;
/** How often the pass looks back for what was committed even later. */
const lookBackIntervalMs = minuteMs;
/** How many failed leads are remembered; one that is forgotten is only tried again. */
const maxRememberedLeads = 10_000;

/**
 * Keeps the phones of leads comparable that other programs write: they store a number in any
 * spelling and know nothing of the derived key (rule DATA-7). One instance at a time does it.
 */
@Injectable()
export class LeadPhoneKeys implements OnModuleDestroy {
  private readonly logger = new Logger(LeadPhoneKeys.name);
  private readonly loop = new PollingLoop(
    'Updating the phone keys of leads failed',
    () => this.run(),
    () => intervalMs,
  );
  private isStopping = false;
  /** Leads that could not be derived, and what they were then; trying again would change nothing. */
  private readonly failedLeads = new LRUCache<string, string>({ max: maxRememberedLeads });
  private readonly lease: Lease;
  /** When the last pass of this process began. */
  private seenUpTo: Date | undefined;
  /** When the last one began that looked for what was committed late; undefined after passes of others. */
  private lookedBackAt: Date | undefined;
  private readonly derivedLeads;
  private readonly failures;
  private forgottenAt = new Date(0);
  /** What has been reported of an organization that has no country. */
  private readonly reportedCountries = new Map<string, string>();

  constructor(
    private readonly leads: LeadPhoneKeysRepository,
    private readonly organizations: OrganizationsRepository,
    private readonly clock: Clock,
    leases: Leases,
    metrics: Metrics,
  ) {
    this.derivedLeads = new Counter(
      metrics.options(
        'phone_key_leads_total',
        'Leads of other programs whose phones this process has made comparable.',
      ),
    );
    this.failures = new Counter(
      metrics.options(
        'phone_key_failures_total',
        'Leads of other programs whose phones could not be made comparable.',
      ),
    );
    this.lease = leases.of('lead-phone-keys', leaseMs);
  }

  /** Lets another instance go on at once. */
  async onModuleDestroy(): Promise<void> {
    this.isStopping = true;
    await this.loop.stop();
    // A database that is gone will notice by itself that nobody runs the pass.
    await this.lease.release().catch(() => undefined);
  }

  /** Runs the pass again and again until the module is destroyed. */
  start(): void {
    this.loop.start();
  }

  /**
   * Derives the phones of every lead that another program has added or changed, and of the leads of
   * organizations whose country has changed, unless another instance does.
   */
  async run(): Promise<void> {
    const startedAt = this.clock.now();
    this.forgetPhones(startedAt);
    if (!(await this.isOwner())) return;
    const looksBack = this.isLookingBackDue(startedAt);
    const since = looksBack
      ? earlier(this.lookedBackAt ?? this.lease.watermark, commitLagMs)
      : earlier(this.seenUpTo ?? startedAt, overlapMs);
    let after: Types.ObjectId | null = null;
    do after = await this.deriveMissing(after);
    while (after !== null && (await this.isOwner()));
    for await (const leads of this.leads.changedElsewhere(since, batchSize)) {
      await this.derive(leads);
      if (!(await this.isOwner())) return;
    }
    for (const organization of await this.organizations.listUpdatedSince(since)) {
      this.reportUnknownCountry(organization);
      await this.rederiveForCountry(organization);
    }
    this.seenUpTo = startedAt;
    if (looksBack) {
      this.lookedBackAt = startedAt;
      await this.lease.advance(startedAt);
    }
  }

  /** Every process does so, whoever runs the pass. */
  private forgetPhones(now: Date): void {
    if (now.getTime() - this.forgottenAt.getTime() < keptPhonesMs) return;
    forgetPhones();
    this.forgottenAt = now;
  }

  private async isOwner(): Promise<boolean> {
    const isOwner = !this.isStopping && (await this.lease.acquire());
    // What others have seen meanwhile is in the database.
    if (!isOwner) this.lookedBackAt = undefined;
    return isOwner;
  }

  private isLookingBackDue(now: Date): boolean {
    if (this.lookedBackAt === undefined) return true;
    const passed = now.getTime() - this.lookedBackAt.getTime();
    // A clock that was put back has nothing to do with what was seen.
    return passed < 0 || passed >= lookBackIntervalMs;
  }

  /** Again in each pass shortly after a change: requests know the country of a few seconds ago. */
  private async rederiveForCountry(organization: Organization): Promise<void> {
    for await (const leads of this.leads.derivedForOtherCountry(organization, batchSize)) {
      await this.derive(leads);
    }
  }

  private async deriveMissing(after: Types.ObjectId | null): Promise<Types.ObjectId | null> {
    const batch = await this.leads.findWithoutPhoneKeys(after, batchSize);
    await this.derive(batch);
    return batch.at(-1)?._id ?? null;
  }

  /** Other programs may have written anything; one lead that cannot be used must not stop the rest. */
  private async derive(leads: readonly LeadPhones[]): Promise<void> {
    const untried = leads.filter(
      (lead) => this.failedLeads.get(String(lead._id)) !== stateOf(lead),
    );
    if (untried.length === 0) return;
    const countries = await this.countriesOf(untried);
    const derived: DerivedLead[] = [];
    let parsed = 0;
    for (const lead of untried) {
      try {
        const country = countries.get(lead.organizationId.toHexString()) ?? defaultCountry;
        if (isDerived(lead, country)) {
          derived.push({ lead, derived: {} });
          continue;
        }
        derived.push({ lead, derived: derivedPhones(lead.data, country) });
      } catch (error) {
        this.reportFailed(lead, error);
      }
      if (++parsed % parsedTogether === 0) await nextTurn();
    }
    for (const { index, reason } of await this.leads.setDerived(derived)) {
      const lead = derived[index]?.lead;
      if (lead !== undefined) this.reportFailed(lead, reason);
    }
    this.derivedLeads.inc(untried.length);
  }

  private reportFailed(lead: LeadPhones, error: unknown): void {
    const id = String(lead._id);
    this.failedLeads.set(id, stateOf(lead));
    this.failures.inc();
    this.logger.warn({ err: error, lead: id }, 'The phones of a lead could not be derived');
  }

  private reportUnknownCountry({ _id, phoneCountry, unknownPhoneCountry }: Organization): void {
    const organization = _id.toHexString();
    if (unknownPhoneCountry === null) {
      this.reportedCountries.delete(organization);
    } else if (this.reportedCountries.get(organization) !== unknownPhoneCountry) {
      this.reportedCountries.set(organization, unknownPhoneCountry);
      const details = { organization, stored: unknownPhoneCountry, used: phoneCountry };
      this.logger.warn(details, 'A phone country is unknown');
    }
  }

  /** The phone country of each organization of the leads, by its id. */
  private async countriesOf(leads: readonly LeadPhones[]): Promise<Map<string, CountryCode>> {
    const ids = new Map(leads.map(({ organizationId: id }) => [String(id), id]));
    const organizations = await this.organizations.findAll([...ids.values()]);
    return new Map(organizations.map(({ _id, phoneCountry }) => [_id.toHexString(), phoneCountry]));
  }
}

/** What a lead was when it could not be used; trying again would change nothing. */
function stateOf({ updatedAt, organizationId }: LeadPhones): string {
  return JSON.stringify([updatedAt, organizationId]);
}

function earlier(time: Date, milliseconds: number): Date {
  return new Date(Math.max(0, time.getTime() - milliseconds));
}
