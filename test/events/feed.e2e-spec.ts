import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Document } from 'mongodb';
import { Webhook } from 'standardwebhooks';
import { addKey } from '../support/builders.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { EventRelay } from '../../src/events/outbox/event-relay.js';
import { FeedClient } from './feed-client.js';

let feed: FeedClient;
let receiver: Receiver;

beforeAll(async () => {
  feed = await FeedClient.start({ EVENTS_RETENTION_DAYS: '2' });
  receiver = await startReceiver();
});
afterAll(async () => {
  await receiver.stop();
  await feed.stop();
});

describe('GET /events', () => {
  it('returns the bodies of the webhooks, numbered from 1 in order of the changes', async () => {
    const tenant = await feed.addReader();
    const endpoint = await feed.service.subscribe(tenant, receiver.url);
    await feed.post(tenant, '/leads', {
      recordSystemId: 'a',
      phoneNumber: '01001234567',
      name: 'Mona',
    });
    await feed.post(tenant, '/leads', { recordSystemId: 'a', name: 'Mona Adel' });
    await feed.service.api('delete', '/leads/a').set('api-key', tenant.key).expect(200);
    const requests = await receiver.receivedRequests(5);
    await feed.numbered(tenant, 5);
    const { body, headers } = await feed.read(tenant).expect(200);
    expect(body.data.map(({ type }: Document) => type)).toEqual([
      'client.created',
      'lead.created',
      'client.updated',
      'lead.updated',
      'lead.deleted',
    ]);
    expect(body.data.map(({ sequence }: Document) => sequence)).toEqual([1, 2, 3, 4, 5]);
    expect([body.next, body.hasMore, headers['x-next-cursor']]).toEqual([5, false, '5']);
    // Byte for byte what was sent, but for the number and the id, which webhooks have in a header.
    const verifier = new Webhook(endpoint.secret);
    const delivered = requests.map(({ body: sent, headers: sentHeaders }) => {
      verifier.verify(sent, sentHeaders);
      return { id: sentHeaders['webhook-id'], ...(JSON.parse(sent) as object) };
    });
    const shown = body.data.map(({ sequence: _sequence, ...event }: Document) => event);
    const byId = (one: Document, other: Document) => (one['id'] < other['id'] ? -1 : 1);
    expect(shown.toSorted(byId)).toEqual(delivered.toSorted(byId));
    const [first] = body.data;
    const sent = requests.find(({ headers: { 'webhook-id': id } }) => id === first.id);
    const { sequence: _sequence, id: _id, ...payload } = first;
    expect(JSON.stringify(payload)).toBe(sent?.body);
  });

  it('returns the same events in pages of any size, and filters by type', async () => {
    const tenant = await feed.addReader();
    await feed.addEvents(tenant, 25);
    await feed.addEvents(tenant, 3, { type: 'unit.updated', changes: [] });
    await feed.addEvents(tenant, 9);
    await feed.numbered(tenant, 37);
    const all = await feed.readAll(tenant, { limit: 1000 });
    expect(all.map(({ sequence }) => sequence)).toEqual(all.map((_, index) => index + 1));
    expect(await feed.readAll(tenant, { limit: 7 })).toEqual(all);
    const ofUnits = await feed.readAll(tenant, { limit: 2, types: 'unit.*,lead.deleted' });
    expect(ofUnits).toEqual(all.filter(({ type }) => type === 'unit.updated'));
    // Without a match, `next` is after all events that were read.
    const { body } = await feed.read(tenant, { types: 'wallet.created' }).expect(200);
    expect(body).toEqual({ data: [], next: 37, hasMore: false });
  });

  it('ends a page at 4 MiB, and returns a larger event alone', async () => {
    const tenant = await feed.addReader();
    const data = { text: 'x'.repeat(1_500_000) };
    await feed.addEvents(tenant, 3, { data });
    await feed.addEvents(tenant, 1, { data: { text: 'x'.repeat(6_000_000) } });
    await feed.numbered(tenant, 4);
    const pages: number[][] = [];
    for (let after = 0; after < 4;) {
      const { body } = await feed.read(tenant, { after }).expect(200);
      pages.push(body.data.map(({ sequence }: Document) => sequence));
      after = body.next;
    }
    expect(pages).toEqual([[1, 2], [3], [4]]);
  });

  it('rejects a key without events.read, whatever other permissions it has', async () => {
    const tenant = await feed.addReader();
    const key = await addKey(feed.service.db, tenant.organizationId);
    const { headers } = await feed.read({ ...tenant, key }, { nonsense: 1 }).expect(403);
    expect(headers['x-error-code']).toBe('authentication.operation_not_permitted');
  });

  it('returns only events of the own organization', async () => {
    const [one, other] = [await feed.addReader(), await feed.addReader()];
    await feed.addEvents(one, 3);
    const [foreign] = await feed.addEvents(other, 2);
    await feed.numbered(one, 3);
    await feed.numbered(other, 2);
    const ids = (await feed.readAll(one)).map(({ id }) => id);
    expect(ids).toHaveLength(3);
    expect(ids).not.toContain(`msg_${foreign?.toHexString()}`);
    // The same response as for an event that never existed.
    const lastEventId = `msg_${foreign?.toHexString()}`;
    const refused = await feed.read(one, { lastEventId }).expect(410);
    expect(refused.headers['x-next-cursor']).toBe('0');
  });

  it.each<[Document, string]>([
    [{ after: -1 }, 'after must be a whole number from 0 to 9007199254740991'],
    [{ after: 1.5 }, 'after must be a whole number from 0 to 9007199254740991'],
    [{ limit: 0 }, 'limit must be a whole number from 1 to 1000'],
    [{ limit: 1001 }, 'limit must be a whole number from 1 to 1000'],
    [{ wait: 26 }, 'wait must be a whole number from 0 to 25'],
    [{ timeout: 25_001 }, 'timeout must be a whole number from 0 to 25000'],
    [{ lastEventId: 'msg_1' }, 'lastEventId must be the id or the number of an event'],
    [{ since: 1 }, 'since is not a known parameter'],
  ])('rejects %j', async (parameters, message) => {
    const { body } = await feed.read(await feed.addReader(), parameters).expect(400);
    expect(body.message).toEqual([message]);
  });

  it('rejects unknown types, and a number after the last one', async () => {
    const tenant = await feed.addReader();
    const { body } = await feed.read(tenant, { types: 'lead.created,leads.*' }).expect(400);
    expect(body.message).toEqual([expect.stringMatching(/^types must be one of .*lead\.\*/)]);
    await feed.addEvents(tenant, 2);
    await feed.numbered(tenant, 2);
    await feed.read(tenant, { after: 2 }).expect(200);
    const beyond = await feed.read(tenant, { after: 3 }).expect(400);
    expect(beyond.headers['x-error-code']).toBe('events.beyond_last');
    expect(beyond.body.message).toEqual(['after must not exceed 2, the number of the last event']);
  });

  it('accepts a number that was returned before a failover', async () => {
    const tenant = await feed.addReader();
    await feed.addEvents(tenant, 2);
    await feed.numbered(tenant, 2);
    // The first look of each read is at the snapshot.
    const numbers = jest.spyOn(feed.service.service.app.get(EventRelay), 'lastNumber');
    numbers.mockResolvedValueOnce(1);
    const { body } = await feed.read(tenant, { after: 2 }).expect(200);
    expect(body).toMatchObject({ data: [], next: 2, hasMore: false });
    numbers.mockResolvedValueOnce(1);
    expect((await feed.read(tenant, { after: 3 }).expect(400)).body.message).toEqual([
      'after must not exceed 2, the number of the last event',
    ]);
    numbers.mockRestore();
  });

  it('returns 304 until there is a new event', async () => {
    const tenant = await feed.addReader();
    const { headers } = await feed.read(tenant).expect(200);
    await feed.read(tenant, {}, { 'if-none-match': headers['etag'] ?? '' }).expect(304);
    await feed.addEvents(tenant, 1);
    await feed.numbered(tenant, 1);
    await feed.read(tenant, {}, { 'if-none-match': headers['etag'] ?? '' }).expect(200);
  });
});

describe('a CloudEvents batch', () => {
  const accept = {
    accept: 'application/json;q=0.9, application/cloudevents-batch+json; charset=utf-8',
  };

  it('contains the same events, and continues after an id or a number', async () => {
    const tenant = await feed.addReader();
    await feed.post(tenant, '/leads', { recordSystemId: 'a', name: 'Mona' });
    await feed.post(tenant, '/leads', { recordSystemId: 'a', name: 'Mona Adel' });
    await feed.numbered(tenant, 4);
    const plain = await feed.readAll(tenant);
    const { body, headers } = await feed.read(tenant, {}, accept).expect(200);
    expect(headers).toMatchObject({
      'content-type': 'application/cloudevents-batch+json; charset=utf-8',
      'x-next-cursor': '4',
      vary: expect.stringContaining('accept'),
    });
    expect(body).toEqual(
      plain.map(({ sequence, id, type, timestamp, data, changes }) => ({
        specversion: '1.0',
        id,
        source: `/organizations/${tenant.organizationId.toHexString()}`,
        type,
        time: timestamp,
        subject: data._id,
        datacontenttype: 'application/json',
        sequence: String(sequence),
        ...(changes === undefined ? {} : { changes: JSON.stringify(changes) }),
        data,
      })),
    );
    expect(body.some(({ changes }: Document) => changes !== undefined)).toBe(true);
    const rest = await feed.read(tenant, { lastEventId: body[1].id }, accept).expect(200);
    expect(rest.body).toEqual(body.slice(2));
    const byNumber = await feed.read(tenant, { lastEventId: '3' }, accept).expect(200);
    expect(byNumber.body).toEqual(body.slice(3));
    const none = await feed
      .read(tenant, { lastEventId: body[3].id, timeout: 50 }, accept)
      .expect(200);
    expect(none.body).toEqual([]);
  });
});

describe('GET /events after the retention', () => {
  const day = 86_400_000;

  it('hides expired events, and returns 410 with the next number after a gap', async () => {
    const tenant = await feed.addReader();
    await feed.addEvents(tenant, 6);
    await feed.numbered(tenant, 6);
    const { organizationId } = tenant;
    const age = (from: number, to: number, days: number) =>
      feed.events.updateMany(
        { organizationId, sequence: { $gte: from, $lte: to } },
        { $set: { numberedAt: new Date(Date.now() - days * day) } },
      );
    await age(1, 4, 2.01);
    // The database has not removed them yet.
    const expired = await feed.read(tenant, { after: 2 }).expect(410);
    expect(expired.headers).toMatchObject({
      'x-error-code': 'events.expired',
      'x-next-cursor': '4',
    });
    expect(expired.body).toEqual({
      statusCode: 410,
      message: 'The next events are no longer kept: continue with after=4',
      error: 'Gone',
    });
    const sequences = async (parameters: Document) =>
      (await feed.read(tenant, parameters).expect(200)).body.data.map(
        ({ sequence }: Document) => sequence,
      );
    expect(await sequences({ after: 4 })).toEqual([5, 6]);
    expect(await sequences({ after: 0 })).toEqual([5, 6]);
    expect(await sequences({ after: 0, types: 'lead.*' })).toEqual([5, 6]);
    await feed.read(tenant, { after: 3, types: 'unit.*' }).expect(410);
    // The database removes them in no certain order.
    await feed.events.deleteMany({ organizationId, sequence: { $in: [1, 3] } });
    expect(await sequences({ after: 0 })).toEqual([5, 6]);
    await feed.events.deleteMany({ organizationId, sequence: { $in: [2, 4] } });
    expect((await feed.read(tenant, { after: 1 }).expect(410)).headers['x-next-cursor']).toBe('4');
    // Without events the feed continues after its last number.
    await age(5, 6, 3);
    expect((await feed.read(tenant, { after: 1 }).expect(410)).headers['x-next-cursor']).toBe('6');
    expect((await feed.read(tenant).expect(200)).body).toEqual({
      data: [],
      next: 6,
      hasMore: false,
    });
    await feed.addEvents(tenant, 1);
    await feed.numbered(tenant, 7);
    expect(await sequences({ after: 6 })).toEqual([7]);
  });
});
