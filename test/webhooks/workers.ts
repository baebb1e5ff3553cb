import { afterAll, afterEach, beforeAll } from '@jest/globals';
import type { Collection } from 'mongodb';
import { type Receiver, type Respond, startReceiver } from '../support/receiver.js';
import { kill, type ServiceProcess, startProcess } from '../support/service-process.js';
import { startTestService, type TestService } from '../support/test-service.js';
import { startWebhookService, toLoopback, type WebhookService } from './webhook-service.js';

/** A service that only serves the API; a test starts workers and receivers. */
export interface Workers {
  /** From the first test on. */
  readonly service: WebhookService;
  /** A worker in a process of its own. */
  startProcess(variables?: Record<string, string>): Promise<ServiceProcess>;
  /** A worker in this process, for tests that neither kill nor signal it. */
  startHere(): Promise<void>;
  startReceiver(respond?: Respond | number): Promise<Receiver>;
  deliveries(): Collection;
}

/** The ids of the webhooks that a receiver has got, in their order. */
export function webhookIds({ received }: Receiver): (string | undefined)[] {
  return received.map(({ headers }) => headers['webhook-id']);
}

/** Sets it up for a test file; what a test has started and stored goes after it. */
export function useWorkers(): Workers {
  let service: WebhookService;
  let endings: (() => Promise<void>)[] = [];
  const deliveries = () => service.db.collection('webhookDeliveries');
  const withEnd = <T>(started: T, end: () => Promise<void>): T => {
    endings.push(end);
    return started;
  };
  beforeAll(async () => {
    service = await startWebhookService({ ROLE: 'api' });
  });
  afterEach(async () => {
    for (const end of endings) await end();
    endings = [];
    await service.db.collection('webhookEndpoints').deleteMany({});
    await deliveries().deleteMany({});
  });
  afterAll(() => service.stop());
  return {
    get service() {
      return service;
    },
    startProcess: async (variables) => {
      const ownVariables = { MONGODB_URI: service.databaseUri, ROLE: 'worker', ...toLoopback };
      const worker = await startProcess({ ...ownVariables, ...variables });
      return withEnd(worker, () => kill(worker));
    },
    startHere: async () => {
      const variables = { ROLE: 'all', ...toLoopback };
      const worker: TestService = await startTestService(variables, service.databaseUri);
      withEnd(worker, () => worker.stop());
    },
    startReceiver: async (respond = 204) => {
      const receiver = await startReceiver(respond);
      return withEnd(receiver, () => receiver.stop());
    },
    deliveries,
  };
}
