import { beforeAll } from '@jest/globals';
import type { Db } from 'mongodb';
import type { TenantOverrides } from './builders.js';
import { send } from './service-process.js';
import { addressOf, sharedService } from './shared-service.js';
import type { TenantApi } from './tenant-api.js';

/** Two services in processes of their own on one database. */
export interface Instances {
  readonly db: Db;
  /** Options of another instance. */
  readonly variables: Record<string, string>;
  /** Address of the instance whose turn it is. */
  readonly url: (turn: number) => string;
  readonly addTenant: (overrides?: TenantOverrides) => Promise<TenantOfInstances>;
}

/** A tenant that sends requests to each instance in turn. */
interface TenantOfInstances extends TenantApi {
  readonly postTo: (turn: number, path: string, body: object) => ReturnType<typeof send>;
}

/** The shared service, and a second process that is started for the first file that needs one. */
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
