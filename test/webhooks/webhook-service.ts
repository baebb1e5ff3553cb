import { afterAll, afterEach, beforeAll, expect } from '@jest/globals';
import { type Document, MongoClient, ObjectId, type WithId } from 'mongodb';
import { Types } from 'mongoose';
import { Clock } from '../../src/core/configuration/clock.js';
import { WebhookDeliveriesService } from '../../src/webhooks/deliveries/webhook-deliveries.service.js';
import type { WebhookEndpointDocument } from '../../src/webhooks/endpoints/webhook-endpoint.schema.js';
import { WebhookEndpointsService } from '../../src/webhooks/endpoints/webhook-endpoints.service.js';
import { WebhookWorker } from '../../src/webhooks/sending/webhook-worker.js';
import { addTenant, conventions, type Tenant } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { type Receiver, type Respond, startReceiver } from '../support/receiver.js';
import { databaseUriOf, startTestService, type TestService } from '../support/test-service.js';

export const allowLoopback = {
  WEBHOOKS_ALLOW_HTTP: 'true',
  WEBHOOKS_ALLOW_PRIVATE_NETWORKS: 'true',
};

export interface TestEndpoint {
  readonly id: ObjectId;
  readonly secret: string;
  readonly document: WebhookEndpointDocument;
}

/** A service with its worker, which may send to loopback and whose clock tests can move. */
export interface WebhookService extends TestService {
  readonly endpoints: WebhookEndpointsService;
  readonly deliveries: WebhookDeliveriesService;
  /** Moves the service's clock forward and starts the deliveries that are due then. */
  passTime(milliseconds: number): Promise<void>;
  subscribe(tenant: Tenant, url: string, eventTypes?: string[]): Promise<TestEndpoint>;
  /** Creates a lead, which emits `lead.created` and no other event. */
  createLead(tenant: Tenant, recordSystemId?: string): Promise<void>;
  /** Waits until the only delivery to an endpoint has these fields, and returns it. */
  waitForDeliveryOf(endpoint: TestEndpoint, fields: Document): Promise<WithId<Document>>;
}

/**
 * Empties the database of this Jest worker, whose test files run in sequence, but keeps the indexes: creating
 * them takes longer than most test files.
 */
async function emptyDatabase(): Promise<string> {
  const uri = databaseUriOf(`webhooks-${process.env['JEST_WORKER_ID']}`);
  const client = await new MongoClient(uri).connect();
  const db = client.db();
  await db.command({ profile: 0 });
  for (const { name } of await db.listCollections().toArray()) {
    if (name === 'system.profile') await db.dropCollection(name);
    else if (name !== 'migrations') await db.collection(name).deleteMany({});
  }
  await client.close();
  return uri;
}

/** Without `ownDatabaseUri`, the previous webhook service of this Jest worker must have stopped. */
export async function startWebhookService(
  variables: Record<string, string> = {},
  ownDatabaseUri?: string,
): Promise<WebhookService> {
  const databaseUri = ownDatabaseUri ?? (await emptyDatabase());
  const ownVariables = { ROLE: 'all', ...allowLoopback, ...variables };
  const service = await startTestService(ownVariables, databaseUri);
  const { app } = service.service;
  const endpoints = app.get(WebhookEndpointsService);
  let elapsed = 0;
  app.get(Clock).now = () => new Date(Date.now() + elapsed);
  return {
    ...service,
    endpoints,
    deliveries: app.get(WebhookDeliveriesService),
    passTime: async (milliseconds) => {
      elapsed += milliseconds;
      await app.get(WebhookWorker).deliverDue();
    },
    subscribe: async ({ organizationId }, url, eventTypes = ['*']) => {
      const organization = new Types.ObjectId(organizationId.toHexString());
      const { endpoint, secret } = await endpoints.add(organization, { url, eventTypes });
      return { id: endpoint._id, secret, document: endpoint };
    },
    createLead: async (tenant, recordSystemId = new Types.ObjectId().toHexString()) => {
      const lead = { recordSystemId, data: { source: 'form' } };
      await service.api('post', '/leads').set('api-key', tenant.key).send(lead).expect(201);
    },
    waitForDeliveryOf: async ({ id }, fields) => {
      const deliveries = service.db.collection('webhookDeliveries');
      let found: WithId<Document> | null = null;
      await eventually(async () => {
        found = await deliveries.findOne({ endpointId: id, ...fields });
        if (found === null) {
          const all = await deliveries.find({ endpointId: id }).toArray();
          throw new Error(`No delivery has these fields: ${JSON.stringify(all)}`);
        }
      });
      return found as unknown as WithId<Document>;
    },
  };
}

const quarter = 900_000;

interface SubscriptionOptions {
  readonly owner?: Tenant;
  readonly types?: string[];
  readonly path?: string;
}

/** Usable once the first test starts; endpoints and receivers are removed after each test. */
export function useWebhooks(variables: Record<string, string> = {}) {
  let service: WebhookService;
  let tenant: Tenant;
  let cleanups: (() => Promise<void>)[] = [];
  const collection = (name: string) => service.db.collection(name);
  /** Waits until every event has its deliveries. */
  const waitForFanOut = () =>
    eventually(async () => {
      expect(await collection('outboxEvents').countDocuments({ sequence: null })).toBe(0);
    });
  const addReceiver = async (respond: Respond | number = 204): Promise<Receiver> => {
    const receiver = await startReceiver(respond);
    cleanups.push(() => receiver.stop());
    return receiver;
  };
  beforeAll(async () => {
    service = await startWebhookService(variables);
    tenant = await addTenant(service.db);
  });
  afterEach(async () => {
    // The endpoints of the next test would get events that have no number yet.
    await waitForFanOut();
    await Promise.all(cleanups.map((stop) => stop()));
    cleanups = [];
    await collection('webhookEndpoints').deleteMany({});
  });
  afterAll(() => service.stop());
  return {
    get service() {
      return service;
    },
    get tenant() {
      return tenant;
    },
    collection,
    waitForFanOut,
    addReceiver,
    stopAfterTest: (stop: () => Promise<void>) => void cleanups.push(stop),
    passTime: (milliseconds: number) => service.passTime(milliseconds),
    createLead: (recordSystemId?: string) => service.createLead(tenant, recordSystemId),
    /** Adds deliveries, created 1 ms apart, as the relay and the worker store them. */
    addDeliveries: async (endpointId: ObjectId, count: number, fields: Document): Promise<void> => {
      // The times follow the service's clock, which tests move: the worker searches only once a minute for
      // deliveries that are long overdue.
      const now = service.service.app.get(Clock).now().getTime();
      await collection('webhookDeliveries').insertMany(
        Array.from({ length: count }, (_, index) => ({
          ...conventions(tenant.organizationId),
          endpointId,
          eventId: new ObjectId(),
          type: 'lead.created',
          bytes: 100,
          round: 1,
          attempts: 10,
          nextAttemptAt: new Date(now),
          log: [],
          completedAt: fields['status'] === 'pending' ? null : new Date(now),
          ...fields,
          createdAt: new Date(now - count + index),
        })),
      );
    },
    /** Adds counts of attempts by their age in quarters of an hour. */
    addCounts: async (
      endpointId: ObjectId,
      counts: readonly (readonly [number, number, number])[],
      { organizationId }: Tenant = tenant,
    ): Promise<void> => {
      const current =
        Math.floor(service.service.app.get(Clock).now().getTime() / quarter) * quarter;
      const documents = counts.map(([age, delivered, failed]) => ({
        ...conventions(organizationId),
        endpointId,
        at: new Date(current - age * quarter),
        delivered,
        failed,
        milliseconds: 1,
      }));
      await collection('webhookStatistics').insertMany(documents);
    },
    /** Adds an endpoint with its own receiver. */
    addEndpoint: async (
      respond: Respond | number = 204,
      { owner = tenant, types = ['*'], path = '' }: SubscriptionOptions = {},
    ) => {
      const receiver = await addReceiver(respond);
      const endpoint = await service.subscribe(owner, `${receiver.url}${path}`, types);
      return {
        ...receiver,
        ...endpoint,
        waitForDelivery: (fields: Document) => service.waitForDeliveryOf(endpoint, fields),
        stored: () => collection('webhookEndpoints').findOne({ _id: endpoint.id }),
        store: ($set: Document) =>
          collection('webhookEndpoints').updateOne({ _id: endpoint.id }, { $set }),
      };
    },
  };
}

export type AddedEndpoint = Awaited<ReturnType<ReturnType<typeof useWebhooks>['addEndpoint']>>;
