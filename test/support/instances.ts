import { beforeAll } from '@jest/globals';
import type { Db } from 'mongodb';
import type { TenantOverrides } from './builders.js';
import { send } from './service-process.js';
import { addressOf, sharedService } from './shared-service.js';
import type { TenantApi } from './tenant-api.js';

/** Two services on one database, each in its own process. */
export interface Instances {
  readonly db: Db;
  /** Environment variables for a further instance on the same database. */
  readonly variables: Record<string, string>;
  /** Returns the address of the first instance for even turns and of the second for odd turns. */
  readonly url: (turn: number) => string;
  readonly addTenant: (overrides?: TenantOverrides) => Promise<TenantOfTwoInstances>;
}

interface TenantOfTwoInstances extends TenantApi {
  readonly postTo: (turn: number, path: string, body: object) => ReturnType<typeof send>;
}

/** Uses the shared service and a second process, which starts for the first file that needs it. */
export function sharedInstances(): Instances {
  const service = sharedService();
  const { databaseUri, db } = service;
  let secondUrl = '';
  beforeAll(async () => {
    secondUrl = await addressOf('second');
  });
  const url = (turn: number) => (turn % 2 === 0 ? service.url : secondUrl);
  return {
    db,
    variables: { MONGODB_URI: databaseUri, ROLE: 'api', DATABASE_DEADLINE_MS: '30000' },
    url,
    addTenant: async (overrides) => {
      const tenant = await service.addTenant(overrides);
      const { key } = tenant;
      return {
        ...tenant,
        postTo: (turn, path, body) => send(url(turn), { method: 'POST', path, key, body }),
      };
    },
  };
}
