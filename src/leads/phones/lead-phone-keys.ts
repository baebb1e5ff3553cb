import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { objectIds } from '../../core/database/documents/tenant-document.js';
import { Clock } from '../../core/configuration/clock.js';
import { type Lease, Leases } from '../../core/database/leases/leases.js';
import { PollingLoop } from '../../core/database/leases/polling-loop.js';
import { commitLagMs } from '../../core/database/transactions/transactions.js';
import { Metrics } from '../../core/observability/metrics.js';
import { hourMs } from '../../core/values/time.js';
import { ClientPhones } from '../clients/client-phones.service.js';
import { emailKeyOf } from '../../tenants/contacts/contact.js';
import { clearPhoneCache } from '../../tenants/contacts/phone-number.js';
import { isOfOlderRule } from '../../tenants/contacts/phone-rule.js';
import { StoredPhones } from '../../tenants/contacts/stored-phones.js';
import type { Organization } from '../../tenants/organizations/organization.js';
import { OrganizationsRepository } from '../../tenants/organizations/organizations.repository.js';
import { type LeadPhones, LeadPhoneKeysRepository } from './lead-phone-keys.repository.js';
import { derivePhoneKeys, hasCurrentPhoneKeys } from './lead-phones.js';

const intervalMs = 5_000;
/** Another instance takes over if the owner has not renewed its lease for this time, in ms. */
const leaseMs = 15_000;
/** After a country change, requests may still store keys of the old country for this time, in ms. */
const countryLagMs = 30_000;

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
  /** Countries of recently changed organizations, with the time when this process first saw them. */
  private readonly countries = new Map<string, { country: string; seenAt: Date }>();
  private readonly derivedLeads;
  private readonly stored: StoredPhones<LeadPhones>;

  constructor(
    private readonly leads: LeadPhoneKeysRepository,
    private readonly organizations: OrganizationsRepository,
    private readonly clientPhones: ClientPhones,
    private readonly clock: Clock,
    leases: Leases,
    metrics: Metrics,
  ) {
    this.derivedLeads = metrics.counter(
      'phone_key_leads_total',
      'Leads of other programs whose phone keys this process has derived.',
    );
    const failures = metrics.counter(
      'phone_key_failures_total',
      'Leads of other programs whose phone keys could not be derived.',
    );
    this.stored = new StoredPhones(
      organizations,
      (lead, country) => {
        const { data, updatedAt } = lead;
        const derived = hasCurrentPhoneKeys(lead, country) ? {} : derivePhoneKeys(data, country);
        return { ...derived, emailKey: emailKeyOf(data), phoneKeysAt: updatedAt };
      },
      (updates) => leads.update(updates),
      (lead, error) => {
        failures.inc();
        this.logger.warn(
          { err: error, lead },
          'Could not compute the phone keys of a lead; retrying when it changes',
        );
      },
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
    for await (const leads of this.leads.findOutdated(since, organizations)) {
      await this.derive(leads);
      if (!(await this.isOwner())) return;
    }
    await this.clientPhones.rewrite(organizations, async () => !(await this.isOwner()));
    if (await this.isOwner()) await this.lease.advance(now);
  }

  private async isOwner(): Promise<boolean> {
    return !this.isStopping && (await this.lease.acquire());
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

  private async derive(leads: readonly LeadPhones[]): Promise<void> {
    const outdated = leads.filter(({ phoneKeysOf }) => isOfOlderRule(phoneKeysOf));
    await this.clientPhones.markOutdated(objectIds(outdated.map(({ clientId }) => clientId)));
    this.derivedLeads.inc(await this.stored.update(leads));
  }
}
