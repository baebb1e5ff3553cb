import { readFileSync, statSync } from 'node:fs';
import { Agent } from 'node:http';
import { afterAll, beforeAll } from '@jest/globals';
import { type Db, MongoClient } from 'mongodb';
import request from 'supertest';
import type { TenantOverrides } from './builders.js';
import { addTenantApi, type TenantApi } from './tenant-api.js';

/** All endpoints are below this path (rule HTTP-1). */
export const basePath = 'external/apis/v1.0';

/** A service as its callers and other programs on its database see it. */
export interface BlackBox {
  /** The address without a path, set before the first test starts. */
  readonly url: string;
  readonly databaseUri: string;
  readonly db: Db;
  /** Returns the log lines since the test file started, one JSON object each. */
  readonly logged: () => string;
  /** Creates a request to a path below the base path of the API. */
  readonly api: (method: 'get' | 'post' | 'delete' | 'put', path: string) => request.Test;
  /** Writes an organization with a key, which its requests carry. */
  readonly addTenant: (overrides?: TenantOverrides) => Promise<TenantApi>;
}

/**
 * Gives the test file access to the shared service. The file must use its own organizations and must not change shared
 * state.
 */
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

/** Returns the address of an instance, and starts the second instance at the first request for it. */
export async function addressOf(instance: 'shared' | 'second'): Promise<string> {
  const response = await fetch(`${sharedAddresses().instances}/${instance}`);
  const text = await response.text();
  if (!response.ok) throw new Error(`The ${instance} instance did not start: ${text}`);
  return text;
}

/** Reads the addresses that the global setup has passed on. */
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
  /** Address of a server that returns the addresses of instances. */
  readonly instances: string;
  /** Address of a server that runs posted command lines in one process, one after another. */
  readonly shell: string;
}
