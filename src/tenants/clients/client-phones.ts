import { Injectable, Logger } from '@nestjs/common';
import type { CountryCode } from 'libphonenumber-js';
import type { Types } from 'mongoose';
import {
  type CrossTenantCollection,
  InjectCrossTenant,
} from '../../core/database/documents/cross-tenant-collection.js';
import { notDeleted } from '../../core/database/documents/tenant-document.js';
import { bufferedBatches } from '../../core/database/documents/tenant-queries.js';
import { scalarText } from '../../core/values/json.js';
import { phoneKeys } from '../contacts/phone-number.js';
import { olderRules, otherCountries, phoneRule } from '../contacts/phone-rule.js';
import { StoredPhones } from '../contacts/stored-phones.js';
import type { Organization } from '../organizations/organization.js';
import { OrganizationsRepository } from '../organizations/organizations.repository.js';
import type { ClientDocument } from './client.schema.js';

type ClientWithPhones = Pick<
  ClientDocument,
  '_id' | 'organizationId' | 'phoneNumbers' | 'updatedAt'
>;

const batchSize = 500;
/** Clients of an earlier version must not delay leads that other programs have just written. */
const maxClientsPerPass = 20_000;

const projection = { organizationId: 1, phoneNumbers: 1, updatedAt: 1 };

/** Other programs and earlier rules have stored phones as sent or as digits (rule DATA-7). */
@Injectable()
export class ClientPhones {
  private readonly logger = new Logger(ClientPhones.name);
  private readonly stored: StoredPhones<ClientWithPhones>;

  constructor(
    @InjectCrossTenant('Client') private readonly clients: CrossTenantCollection<ClientDocument>,
    organizations: OrganizationsRepository,
  ) {
    this.stored = new StoredPhones(
      organizations,
      ({ phoneNumbers }, country) => ({
        ...readAgain(phoneNumbers, country),
        phoneRule: phoneRule(country),
      }),
      (updates) => clients.allTenants.bulkWrite(updates, { ordered: false }),
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
      const options = { projection, batchSize, limit };
      const outdated = { ...notDeleted, ...filter };
      const found = this.clients.allTenants.find<ClientWithPhones>(outdated, options);
      for await (const clients of bufferedBatches(found, batchSize)) {
        await this.stored.update(clients);
        if (await isStopped()) return;
      }
    }
  }

  /** An instance of an earlier version may have added phones to clients that were already rewritten. */
  async markOutdated(ids: readonly Types.ObjectId[]): Promise<void> {
    if (ids.length === 0) return;
    const filter = { _id: { $in: [...ids] }, phoneRule: { $exists: true } };
    await this.clients.allTenants.updateMany(filter, { $unset: { phoneRule: '' } });
  }

  /** Returns the number of clients that share a phone with another client, by organization. */
  async countSharing(): Promise<{ organizationId: Types.ObjectId; clients: number }[]> {
    const phones = { $cond: [{ $isArray: '$phoneNumbers' }, '$phoneNumbers', []] };
    const byPhone = { organizationId: '$organizationId', phone: '$phones' };
    return this.clients.allTenants
      .aggregate<{ organizationId: Types.ObjectId; clients: number }>(
        [
          { $match: { ...notDeleted, phoneNumbers: /^\+/ } },
          { $project: { organizationId: 1, phones: { $setUnion: [phones, []] } } },
          { $unwind: '$phones' },
          { $match: { phones: /^\+/ } },
          { $group: { _id: byPhone, clients: { $push: '$_id' } } },
          { $match: { 'clients.1': { $exists: true } } },
          { $unwind: '$clients' },
          { $group: { _id: { organizationId: '$_id.organizationId', client: '$clients' } } },
          { $group: { _id: '$_id.organizationId', clients: { $sum: 1 } } },
          { $project: { _id: 0, organizationId: '$_id', clients: 1 } },
          { $sort: { organizationId: 1 } },
        ],
        { allowDiskUse: true },
      )
      .toArray();
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
