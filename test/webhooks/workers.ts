import { afterAll, afterEach, beforeAll } from '@jest/globals';
import { type Receiver, type Respond, startReceiver } from '../support/receiver.js';
import { startTestService } from '../support/test-service.js';
import { startWebhookService, allowLoopback, type WebhookService } from './webhook-service.js';

export function webhookIds({ received }: Receiver): (string | undefined)[] {
  return received.map(({ headers }) => headers['webhook-id']);
}

/**
 * Sets up a service that only serves the API. Workers, receivers and deliveries are removed after each test.
 */
export function useWorkers() {
  let service: WebhookService;
  let cleanups: (() => Promise<void>)[] = [];
  const deliveries = () => service.db.collection('webhookDeliveries');
  beforeAll(async () => {
    service = await startWebhookService({ ROLE: 'api' });
  });
  afterEach(async () => {
    for (const end of cleanups) await end();
    cleanups = [];
    await service.db.collection('webhookEndpoints').deleteMany({});
    await deliveries().deleteMany({});
  });
  afterAll(() => service.stop());
  return {
    get service() {
      return service;
    },
    /** Starts a worker in this process, for tests that neither kill nor signal it. */
    startWorker: async (): Promise<void> => {
      const variables = { ROLE: 'all', ...allowLoopback };
      const worker = await startTestService(variables, service.databaseUri);
      cleanups.push(() => worker.stop());
    },
    startReceiver: async (respond: Respond | number = 204): Promise<Receiver> => {
      const receiver = await startReceiver(respond);
      cleanups.push(() => receiver.stop());
      return receiver;
    },
    deliveries,
  };
}
