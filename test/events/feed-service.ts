import { expect } from '@jest/globals';
import type { Document } from 'mongodb';
import { addTenant, mayReadEvents, publishedEvents } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import type { TestService } from '../support/test-service.js';
import { startWebhookService, useWebhooks } from '../webhooks/webhook-service.js';

export function useFeed(variables: Record<string, string> = {}) {
  const webhooks = useWebhooks(variables);
  const { collection } = webhooks;
  const addReader = async () => {
    const tenant = await addTenant(webhooks.service.db, { key: mayReadEvents });
    const { organizationId, key } = tenant;
    let total = 0;
    const keyHeader = { 'api-key': key };
    const read = (
      parameters: Document = {},
      headers = {},
      { api }: TestService = webhooks.service,
    ) =>
      api('get', `/events?${new URLSearchParams(parameters).toString()}`).set({
        ...keyHeader,
        ...headers,
      });
    const waitForNumber = (last: number) =>
      eventually(async () => {
        // The service reads the feed with the same read concern.
        const options = { readConcern: 'majority' } as const;
        const feed = await collection('eventFeeds').findOne({ organizationId }, options);
        expect(feed).toMatchObject({ last });
      });
    /** Stores events whose change was a minute ago, as features publish them. */
    const store = async (count: number, fields: Document = {}) => {
      const past = new Date(Date.now() - 60_000);
      const times = { createdAt: past, updatedAt: past };
      // The relay numbers in storage order, which differs here from the order of ids.
      const events = publishedEvents(organizationId, count, { ...times, ...fields }).toReversed();
      await collection('outboxEvents').insertMany(events, { bypassDocumentValidation: true });
      total += count;
      return events;
    };
    return {
      ...tenant,
      read,
      waitForNumber,
      store,
      /** Stores events as {@link store} does, and waits until they are numbered. */
      publish: async (count: number, fields: Document = {}) => {
        const events = await store(count, fields);
        await waitForNumber(total);
        return events;
      },
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
          .set(keyHeader)
          .send({ recordSystemId: 'a', ...lead }),
      deleteLead: () => webhooks.service.api('delete', '/leads/a').set(keyHeader).expect(200),
    };
  };
  return Object.assign(webhooks, {
    addReader,
    /** Starts another instance, which stops after the test. */
    startInstance: async (settings: Record<string, string> = { ROLE: 'api' }) => {
      const other = await startWebhookService(settings, webhooks.service.databaseUri);
      webhooks.stopAfterTest(() => other.stop());
      return other;
    },
  });
}

export const sequencesOf = (events: readonly Document[]) => events.map(({ sequence }) => sequence);
