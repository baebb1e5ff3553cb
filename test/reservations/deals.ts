import type { Document } from 'mongodb';
import type { TenantApi } from '../support/tenant-api.js';

/** Everything stored about a tenant's reservations and units, except for the log of callbacks. */
export function storedDeals(tenant: TenantApi): Promise<Document[][]> {
  const collections = ['reservations', 'chequeWallets', 'units', 'outboxEvents'];
  return Promise.all(collections.map((name) => tenant.stored(name)));
}
