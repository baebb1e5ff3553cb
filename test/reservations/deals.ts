import type { Document } from 'mongodb';
import type { TenantApi } from '../support/tenant-api.js';

/** Returns everything that is stored about a tenant's reservations and units, except the log of callbacks. */
export function storedDeals(tenant: TenantApi): Promise<Document[][]> {
  const collections = ['reservations', 'chequeWallets', 'units', 'outboxEvents'];
  return Promise.all(collections.map((name) => tenant.stored(name)));
}
