import { beforeAll } from '@jest/globals';
import type { Db } from 'mongodb';
import { addressOf, sharedService } from './shared-service.js';

/** Two services in processes of their own on one database. */
export interface Instances {
  readonly db: Db;
  /** Options of another instance. */
  readonly variables: Record<string, string>;
  /** Address of the instance whose turn it is. */
  readonly url: (turn: number) => string;
}

/** The shared service, and a second process that is started for the first file that needs one. */
export function sharedInstances(): Instances {
  const service = sharedService();
  const { databaseUri, db } = service;
  let secondUrl = '';
  beforeAll(async () => {
    secondUrl = await addressOf('second');
  });
  return {
    db,
    variables: { MONGODB_URI: databaseUri, ROLE: 'api', DATABASE_DEADLINE_MS: '30000' },
    url: (turn) => (turn % 2 === 0 ? service.url : secondUrl),
  };
}
