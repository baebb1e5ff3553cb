import { readFileSync, statSync } from 'node:fs';
import { Agent } from 'node:http';
import { afterAll, beforeAll } from '@jest/globals';
import { type Db, MongoClient } from 'mongodb';
import request from 'supertest';
import type { TenantOverrides } from './builders.js';
import { addTenantApi, type TenantApi } from './tenant-api.js';

/** Path under which all endpoints are (rule HTTP-1). */
export const basePath = 'external/apis/v1.0';

/** A service as its callers, and other programs on its database, see it. */
export interface BlackBox {
  /** Address without path, from the first test on. */
  readonly url: string;
  readonly databaseUri: string;
  readonly db: Db;
  /** Log lines since this call, one JSON object each. */
  readonly logged: () => string;
  /** A request agent for paths below the API's base path. */
  readonly api: (method: 'get' | 'post' | 'delete' | 'put', path: string) => request.Test;
  /** Writes an organization with a key; its requests carry the key. */
  readonly addTenant: (overrides?: TenantOverrides) => Promise<TenantApi>;
}

/** Each test file uses organizations of its own and changes nothing that files share. */
export function sharedService(): BlackBox {
  const { databaseUri, log } = sharedAddresses();
  const client = new MongoClient(databaseUri);
  const agent = new Agent({ keepAlive: true });
  const loggedBefore = statSync(log).size;
  let url = '';
  beforeAll(async () => {
    url = await addressOf('shared');
  });
  afterAll(async () => {
    agent.destroy();
    await client.close();
  });
  const db = client.db();
  const api: BlackBox['api'] = (method, path) =>
    request(url)[method](`/${basePath}${path}`).agent(agent);
  return {
    get url() {
      return url;
    },
    databaseUri,
    db,
    logged: () => readFileSync(log).subarray(loggedBefore).toString(),
    api,
    addTenant: (overrides) => addTenantApi({ db, api }, overrides),
  };
}

/** The second instance starts at the first request for it. */
export async function addressOf(instance: 'shared' | 'second'): Promise<string> {
  const response = await fetch(`${sharedAddresses().instances}/${instance}`);
  const text = await response.text();
  if (!response.ok) throw new Error(`The ${instance} instance did not start: ${text}`);
  return text;
}

/** Where the shared database and its instances are, as the set-up of the run passes them on. */
export function sharedAddresses(): Addresses {
  const { env } = process;
  return {
    databaseUri: env['TEST_DATABASE_URI'] ?? '',
    log: env['TEST_SERVICE_LOG'] ?? '',
    instances: env['TEST_INSTANCES'] ?? '',
    shell: env['TEST_SHELL'] ?? '',
  };
}

interface Addresses {
  readonly databaseUri: string;
  readonly log: string;
  /** Responds with the addresses of instances. */
  readonly instances: string;
  /** Runs the command lines that are posted to it, one after another, in a process that stays. */
  readonly shell: string;
}
