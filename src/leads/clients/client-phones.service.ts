import { Injectable, Logger } from '@nestjs/common';
import type { CountryCode } from 'libphonenumber-js';
import type { Types } from 'mongoose';
import { scalarText } from '../../core/values/json.js';
import { phoneKeys } from '../../tenants/contacts/phone-number.js';
import { olderRules, otherCountries, phoneRule } from '../../tenants/contacts/phone-rule.js';
import { StoredPhones } from '../../tenants/contacts/stored-phones.js';
import type { Organization } from '../../tenants/organizations/organization.js';
import { OrganizationsRepository } from '../../tenants/organizations/organizations.repository.js';
import { ClientPhonesRepository, type ClientWithPhones } from './client-phones.repository.js';

/** Clients of an earlier version must not delay leads that other programs have just written. */
const maxClientsPerPass = 20_000;

/** Other programs and earlier rules have stored phones as sent or as digits (rule DATA-7). */
@Injectable()
export class ClientPhones {
  private readonly logger = new Logger(ClientPhones.name);
  private readonly stored: StoredPhones<ClientWithPhones>;

  constructor(
    private readonly clients: ClientPhonesRepository,
    organizations: OrganizationsRepository,
  ) {
    this.stored = new StoredPhones(
      organizations,
      ({ phoneNumbers }, country) => ({
        ...readAgain(phoneNumbers, country),
        phoneRule: phoneRule(country),
      }),
      (updates) => clients.update(updates),
      (client, error) =>
        this.logger.warn(
          { err: error, client },
          'Could not read the phones of a client; retrying when it changes',
        ),
    );
  }

  /**
   * Rewrites phones that now read as E.164.
   *
   * @param organizations whose country may have changed
   * @param isStopped is asked after each batch
   */
  async rewrite(
    organizations: readonly Organization[],
    isStopped: () => Promise<boolean>,
  ): Promise<void> {
    const filters = [
      ...olderRules('phoneRule').map((older) => ({ filter: older, limit: maxClientsPerPass })),
      ...otherCountries('phoneRule', organizations).map((other) => ({ filter: other, limit: 0 })),
    ];
    for (const { filter, limit } of filters) {
      for await (const clients of this.clients.batches(filter, limit)) {
        await this.stored.update(clients);
        if (await isStopped()) return;
      }
    }
  }

  /** An instance of an earlier version may have added phones to clients that were already rewritten. */
  async markOutdated(ids: readonly Types.ObjectId[]): Promise<void> {
    if (ids.length === 0) return;
    await this.clients.unsetRules(ids);
  }

  countSharing(): ReturnType<ClientPhonesRepository['countSharing']> {
    return this.clients.countSharing();
  }
}

function readAgain(phones: unknown, country: CountryCode): { phoneNumbers?: string[] } {
  if (!Array.isArray(phones)) return {};
  const read = phones.flatMap((phone: unknown) => {
    const keys = phoneKeys(scalarText(phone), country);
    return keys.length > 0 && keys.every((key) => key.startsWith('+')) ? keys : [phone as string];
  });
  return { phoneNumbers: [...new Set(read)] };
}
