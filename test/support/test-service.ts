import { randomBytes } from 'node:crypto';
import { Agent } from 'node:http';
import type { Writable } from 'node:stream';
import { getConnectionToken } from '@nestjs/mongoose';
import { MongoClient } from 'mongodb';
import type { Connection } from 'mongoose';
import type { Logger } from 'pino';
import request from 'supertest';
import type { Environment } from '../../src/core/configuration/environment.js';
import { readEnvironment } from '../../src/core/configuration/load-environment.js';
import { createLogger } from '../../src/core/http/server/logger.js';
import { basePath } from '../../src/core/http/requests/route-options.js';
import { createService, listen, type Service } from '../../src/start.js';
import { addressOf, type BlackBox, sharedAddresses } from './shared-service.js';
import { addTenantApi } from './tenant-api.js';
import { monitored, type TenantCommands, watchTenantCommands } from './tenant-commands.js';

declare global {
  /** All services of a Jest worker share a log, because the first writes all lines that belong to no request. */
  var workerLog: { readonly lines: string[]; readonly destination: Writable };
}

/** A service of this worker that listens on a free port. */
export interface TestService extends BlackBox {
  readonly service: Service;
  /** Observes commands on tenant data, and fails each one that names no organization. */
  readonly tenantCommands: TenantCommands;
  /** The global teardown removes the database. @throws Error when a command named no organization */
  stop(): Promise<void>;
}

/** Returns the connection string of a database with a random name on the run's server. */
export function randomDatabaseUri(): string {
  return databaseUriOf(`test-${randomBytes(6).toString('hex')}`);
}

export function databaseUriOf(name: string): string {
  return (process.env['TEST_MONGODB_URI'] ?? '').replace('/?', `/${name}?`);
}

export function workerLogger(environment: Environment): Logger {
  return createLogger(environment, workerLog.destination);
}

/** Uses the database of the shared service unless another one is given. */
export async function startTestService(
  variables: Record<string, string> = {},
  databaseUri = sharedAddresses().databaseUri,
): Promise<TestService> {
  // The shared service prepares its database when it starts.
  if (databaseUri === sharedAddresses().databaseUri) await addressOf('shared');
  const environment = readEnvironment({
    NODE_ENV: 'test',
    PORT: '0',
    HOST: '127.0.0.1',
    // Only webhook tests need background work.
    ROLE: 'api',
    MONGODB_URI: databaseUri,
    // Tests send faster than one client may.
    RATE_LIMIT_RPS: '0',
    AUTH_FAILURE_RPS: '0',
    // A test must see its own writes in the next response; cache tests turn the cache on.
    RESPONSE_CACHE_BYTES: '0',
    ...variables,
  });
  const { lines } = workerLog;
  const loggedBefore = lines.length;
  const separator = databaseUri.includes('?') ? '&' : '?';
  const options = {
    environment,
    databaseUri: `${databaseUri}${separator}${monitored}`,
    logger: workerLogger(environment),
  };
  const service = await createService(options);
  const tenantCommands = watchTenantCommands(service.app.get<Connection>(getConnectionToken()));
  const url = await listen(service, options);
  const client = await new MongoClient(databaseUri).connect();
  const agent = new Agent({ keepAlive: true });
  const db = client.db();
  const api: BlackBox['api'] = (method, path) =>
    request(url)[method](`/${basePath}${path}`).agent(agent);
  return {
    service,
    url,
    databaseUri,
    db,
    logged: () => lines.slice(loggedBefore).join(''),
    tenantCommands,
    api,
    addTenant: (overrides) => addTenantApi({ db, api }, overrides),
    stop: async () => {
      agent.destroy();
      await service.app.close();
      await client.close();
      const [violation] = tenantCommands.violations;
      if (violation !== undefined) throw new Error(`A command named no organization: ${violation}`);
    },
  };
}
