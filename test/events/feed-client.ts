import type { Document, ObjectId } from 'mongodb';
import { expect } from '@jest/globals';
import { addTenant, mayReadEvents, publishedEvents, type Tenant } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import type { TestService } from '../support/test-service.js';
import { startWebhookService, type WebhookService } from '../webhooks/webhook-service.js';

/** Reads the event feed of an instance. */
export class FeedClient {
  /** Further instances on the same database, for a test. */
  private readonly others: TestService[] = [];
  /** How long to wait for an event that should come within a second; short after a first failure. */
  private maxWaitMs = 20_000;

  private constructor(readonly service: WebhookService) {}

  static async start(variables: Record<string, string> = {}): Promise<FeedClient> {
    return new FeedClient(await startWebhookService(variables));
  }

  get events() {
    return this.service.db.collection('outboxEvents');
  }

  get feeds() {
    return this.service.db.collection('eventFeeds');
  }

  /** The `wait` of requests, in seconds. */
  get patience(): number {
    return Math.ceil(this.maxWaitMs / 2_000);
  }

  async stop(): Promise<void> {
    await this.stopOthers();
    await this.service.stop();
  }

  /** Starts another instance, which {@link stopOthers} stops. */
  async startOther(variables: Record<string, string> = { ROLE: 'api' }): Promise<WebhookService> {
    const other = await startWebhookService(variables, this.service.databaseUri);
    this.others.push(other);
    return other;
  }

  async stopOthers(): Promise<void> {
    for (const other of this.others.splice(0)) await other.stop();
  }

  addReader(): Promise<Tenant> {
    return addTenant(this.service.db, { key: mayReadEvents });
  }

  read({ key }: Tenant, parameters: Document = {}, headers: Record<string, string> = {}) {
    return this.service
      .api('get', `/events?${new URLSearchParams(parameters).toString()}`)
      .set({ 'api-key': key, ...headers });
  }

  /** Reads the feed to its end, page by page. */
  async readAll(tenant: Tenant, parameters: Document = {}): Promise<Document[]> {
    const all: Document[] = [];
    for (let after = 0; ;) {
      const { body } = await this.read(tenant, { ...parameters, after }).expect(200);
      all.push(...body.data);
      if (!body.hasMore) return all;
      after = body.next;
    }
  }

  async soon(check: () => unknown): Promise<void> {
    try {
      await eventually(check, this.maxWaitMs);
    } catch (error) {
      this.maxWaitMs = 500;
      throw error;
    }
  }

  /** Waits until the feed of a tenant has this last number. */
  async numbered({ organizationId }: Tenant, last: number): Promise<void> {
    await this.soon(async () => {
      // The service reads with the same concern.
      const feed = await this.feeds.findOne({ organizationId }, { readConcern: 'majority' });
      expect(feed).toMatchObject({ last });
    });
  }

  async post({ key }: Tenant, path: string, body: object): Promise<Document> {
    const response = await this.service.api('post', path).set('api-key', key).send(body);
    expect(response.status).toBeLessThan(300);
    return response.body;
  }

  /** Stores events whose change was a minute ago, as features publish them. */
  async addEvents(
    { organizationId }: Tenant,
    count: number,
    overrides: Document = {},
  ): Promise<ObjectId[]> {
    const past = new Date(Date.now() - 60_000);
    const times = { createdAt: past, updatedAt: past };
    const events = publishedEvents(organizationId, count, { ...times, ...overrides });
    await this.events.insertMany(events);
    return events.map(({ _id }) => _id);
  }
}
