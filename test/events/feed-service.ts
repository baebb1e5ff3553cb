import { expect } from '@jest/globals';
import type { Document } from 'mongodb';
import { addTenant, mayReadEvents, publishedEvents } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import type { TestService } from '../support/test-service.js';
import { startWebhookService, useWebhooks } from '../webhooks/webhook-service.js';

/** Sets up a service that numbers events for a test file. */
export function useFeed(variables: Record<string, string> = {}) {
  const webhooks = useWebhooks(variables);
  const { collection } = webhooks;
  const addReader = async () => {
    const tenant = await addTenant(webhooks.service.db, { key: mayReadEvents });
    const { organizationId, key } = tenant;
    let count = 0;
    const own = { 'api-key': key };
    /** Reads a page, by default from the shared instance. */
    const read = (
      parameters: Document = {},
      headers = {},
      { api }: TestService = webhooks.service,
    ) =>
      api('get', `/events?${new URLSearchParams(parameters).toString()}`).set({
        ...own,
        ...headers,
      });
    /** Waits until the feed has this last number. */
    const numbered = (last: number) =>
      eventually(async () => {
        // The service reads with the same concern.
        const options = { readConcern: 'majority' } as const;
        const feed = await collection('eventFeeds').findOne({ organizationId }, options);
        expect(feed).toMatchObject({ last });
      });
    /** Stores events whose change was a minute ago, as features publish them. */
    const store = async (further: number, fields: Document = {}) => {
      const past = new Date(Date.now() - 60_000);
      const times = { createdAt: past, updatedAt: past };
      // The order of storage counts, not that of the ids.
      const events = publishedEvents(organizationId, further, { ...times, ...fields }).toReversed();
      await collection('outboxEvents').insertMany(events, { bypassDocumentValidation: true });
      count += further;
      return events;
    };
    return {
      ...tenant,
      read,
      numbered,
      store,
      /** As {@link store}, and waits until the events are numbered. */
      publish: async (further: number, fields: Document = {}) => {
        const events = await store(further, fields);
        await numbered(count);
        return events;
      },
      /** Reads the feed to its end, page by page. */
      readAll: async (parameters: Document = {}): Promise<Document[]> => {
        const all: Document[] = [];
        for (let after = 0; ;) {
          const { body } = await read({ ...parameters, after }).expect(200);
          all.push(...body.data);
          if (!body.hasMore) return all;
          after = body.next;
        }
      },
      postLead: (lead: object, { api }: TestService = webhooks.service) =>
        api('post', '/leads')
          .set(own)
          .send({ recordSystemId: 'a', ...lead }),
      deleteLead: () => webhooks.service.api('delete', '/leads/a').set(own).expect(200),
    };
  };
  return Object.assign(webhooks, {
    addReader,
    /** Starts another instance for a test. */
    startOther: async (further: Record<string, string> = { ROLE: 'api' }) => {
      const other = await startWebhookService(further, webhooks.service.databaseUri);
      webhooks.stopAfterTest(() => other.stop());
      return other;
    },
  });
}

export const sequencesOf = (events: readonly Document[]) => events.map(({ sequence }) => sequence);
