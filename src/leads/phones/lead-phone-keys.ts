import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import type { CountryCode } from 'libphonenumber-js';
import type { Types } from 'mongoose';
import { LRUCache } from 'lru-cache';
import { Clock } from '../../configuration/clock.js';
import { isDatabaseUnavailable } from '../../database/connection/database-errors.js';
import { commitLagMs } from '../../database/transactions/commit-lag.js';
import { Migrations } from '../../database/structure/migrations.js';
import { WatermarksRepository } from '../../database/watermarks/watermarks.repository.js';
import {
  defaultCountry,
  type Organization,
  toOrganization,
} from '../../organizations/organization.js';
import { OrganizationsRepository } from '../../organizations/organizations.repository.js';
import { LeadPhoneKeysRepository, type LeadPhones } from './lead-phone-keys.repository.js';
import { derivedPhones, isDerived } from './lead-phones.js';

const watermark = 'lead-phone-keys';
const batchSize = 500;
const intervalMs = 5_000;
/** How many failed leads are remembered; one that is forgotten is only tried again. */
const maxRememberedLeads = 10_000;

/**
 * Keeps the phones of leads comparable that other programs write: they store a number in any
 * spelling and know nothing of the derived key (rule DATA-7).
 */
@Injectable()
export class LeadPhoneKeys implements OnModuleInit, OnModuleDestroy {
  private readonly logger = new Logger(LeadPhoneKeys.name);
  private timer: NodeJS.Timeout | undefined;
  /** A pass that is cut off because the service ends is no failure: the next one does it again. */
  private isStopping = false;
  /** Leads that could not be derived, and what they were then; trying again would change nothing. */
  private readonly failedLeads = new LRUCache<string, string>({ max: maxRememberedLeads });
  /** For which country this process has last looked through an organization's leads. */
  private readonly derivedFor = new Map<string, CountryCode>();
  /** What has been reported of an organization that has no country. */
  private readonly reportedCountries = new Map<string, string>();

  constructor(
    private readonly leads: LeadPhoneKeysRepository,
    private readonly organizations: OrganizationsRepository,
    private readonly watermarks: WatermarksRepository,
    private readonly migrations: Migrations,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.migrations.register({
      version: 1,
      name: 'comparison keys of the phones of existing leads',
      runBatch: (after) => this.deriveMissing(after),
    });
    this.migrations.register({
      version: 2,
      name: 'comparison keys of phones in organizations whose country was not understood',
      runBatch: (after) => this.rederiveOddCountry(after),
    });
  }

  onModuleDestroy(): void {
    this.isStopping = true;
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  /** Runs the pass again and again until the module is destroyed. */
  start(): void {
    this.timer = setTimeout(() => void this.runAndReschedule(), intervalMs);
    this.timer.unref();
  }

  /**
   * Derives the phones of every lead that another program has added or changed, and of the leads of
   * organizations whose country has changed.
   */
  async run(): Promise<void> {
    let after: Types.ObjectId | null = null;
    do after = await this.deriveMissing(after);
    while (after !== null);
    const startedAt = this.clock.now();
    const seenUpTo = await this.watermarks.read(watermark);
    const countries = await this.countries();
    const since = new Date(Math.max(0, seenUpTo.getTime() - commitLagMs));
    let passed = 0;
    for await (const lead of this.leads.findUpdatedSince(since)) {
      await this.derive(lead, countries);
      // What the driver has read already comes without a pause, in which requests would wait.
      if (++passed % batchSize === 0) await nextTurn();
    }
    for (const organization of await this.organizations.listUpdatedSince(since)) {
      await this.rederiveForCountry(organization);
    }
    await this.watermarks.advance(watermark, startedAt);
  }

  private async runAndReschedule(): Promise<void> {
    try {
      await this.run();
    } catch (error) {
      if (this.isStopping) return;
      this.logger.warn({ err: error }, 'Updating the phone keys of leads failed');
    }
    if (this.timer !== undefined) this.start();
  }

  private async rederiveForCountry(organization: Organization): Promise<void> {
    const { _id, phoneCountry } = organization;
    const id = _id.toHexString();
    if (this.derivedFor.get(id) === phoneCountry) return;
    const countries = new Map([[id, phoneCountry]]);
    for await (const lead of this.leads.findDerivedForOtherCountry(organization)) {
      await this.derive(lead, countries);
    }
    this.derivedFor.set(id, phoneCountry);
  }

  /** Derives the leads of the next organization whose country versions before did not understand. */
  private async rederiveOddCountry(after: Types.ObjectId | null): Promise<Types.ObjectId | null> {
    const document = await this.organizations.findNextOddPhoneCountry(after);
    if (document === null) return null;
    const organization = toOrganization(document);
    const { _id, phoneCountry, unknownPhoneCountry } = organization;
    if (unknownPhoneCountry === null) {
      // Instances of versions before, which may still run, understand it too then.
      await this.organizations.update(_id, { 'settings.phoneCountry': phoneCountry });
    }
    await this.rederiveForCountry(organization);
    return _id;
  }

  private async deriveMissing(after: Types.ObjectId | null): Promise<Types.ObjectId | null> {
    const batch = await this.leads.findWithoutPhoneKeys(after, batchSize);
    const countries = await this.countries();
    for (const lead of batch) await this.derive(lead, countries);
    return batch.at(-1)?._id ?? null;
  }

  /** Other programs may have written anything; one lead that cannot be used must not stop the rest. */
  private async derive(lead: LeadPhones, countries: Map<string, CountryCode>): Promise<void> {
    const id = String(lead._id);
    const state = JSON.stringify([lead.updatedAt, lead.organizationId]);
    if (this.failedLeads.get(id) === state) return;
    try {
      await this.setDerived(lead, countries);
    } catch (error) {
      if (this.isStopping || isDatabaseUnavailable(error)) throw error;
      this.failedLeads.set(id, state);
      this.logger.warn({ err: error, lead: id }, 'The phones of a lead could not be derived');
    }
  }

  private async setDerived(lead: LeadPhones, countries: Map<string, CountryCode>): Promise<void> {
    const country = countries.get(lead.organizationId.toHexString()) ?? defaultCountry;
    if (isDerived(lead, country)) return;
    await this.leads.setDerived(lead, derivedPhones(lead.data, country));
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

  /** The phone country of each organization, by its id. */
  private async countries(): Promise<Map<string, CountryCode>> {
    const organizations = (await this.organizations.list()).map(toOrganization);
    for (const organization of organizations) this.reportUnknownCountry(organization);
    return new Map(organizations.map(({ _id, phoneCountry }) => [_id.toHexString(), phoneCountry]));
  }
}
