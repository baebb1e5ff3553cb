import { describe, expect, it, jest } from '@jest/globals';
import type { Document } from 'mongodb';
import { Webhook } from 'standardwebhooks';
import { EventFeedsRepository } from '../../src/events/outbox/event-feeds.repository.js';
import { sequencesOf, useFeed } from './feed-service.js';

const feed = useFeed({ EVENTS_RETENTION_DAYS: '2' });
const { addReader, collection } = feed;

describe('GET /events', () => {
  it('returns the bodies of the webhooks, numbered from 1 in order of the changes', async () => {
    const reader = await addReader();
    const endpoint = await feed.addEndpoint(204, { owner: reader });
    await reader.postLead({ phoneNumber: '01001234567', name: 'Mona' });
    await reader.postLead({ name: 'Mona Adel' });
    await reader.deleteLead();
    const requests = await endpoint.receivedRequests(5);
    await reader.waitForNumber(5);
    const { body, headers } = await reader.read().expect(200);
    const types = 'client.created lead.created client.updated lead.updated lead.deleted';
    expect(body.data.map(({ type }: Document) => type)).toEqual(types.split(' '));
    expect(sequencesOf(body.data)).toEqual([1, 2, 3, 4, 5]);
    expect([body.next, body.hasMore, headers['x-next-cursor']]).toEqual([5, false, '5']);
    // Apart from number and id, which webhooks have in a header, the bytes equal those of the webhooks.
    const shown = body.data.map(({ sequence: _sequence, id, ...payload }: Document) => {
      return `${id} ${JSON.stringify(payload)}`;
    });
    const sent = requests.map((request) => {
      new Webhook(endpoint.secret).verify(request.body, request.headers);
      return `${request.headers['webhook-id']} ${request.body}`;
    });
    expect(shown.toSorted()).toEqual(sent.toSorted());
  });

  it('returns the same events in pages of any size, and filters by type', async () => {
    const reader = await addReader();
    await reader.publish(25);
    await reader.publish(3, { type: 'unit.updated', changes: [] });
    await reader.publish(9);
    const all = await reader.readAll({ limit: 1000 });
    expect(sequencesOf(all)).toEqual(Array.from({ length: 37 }, (_, index) => index + 1));
    expect(await reader.readAll({ limit: 7 })).toEqual(all);
    const unitEvents = await reader.readAll({ limit: 2, types: 'unit.*,lead.deleted' });
    expect(unitEvents).toEqual(all.filter(({ type }) => type === 'unit.updated'));
    // Without a match, `next` is the number of the last event that was read.
    const { body } = await reader.read({ types: 'wallet.created' }).expect(200);
    expect(body).toEqual({ data: [], next: 37, hasMore: false });
  });

  it('ends a page at 4 MiB, and returns a larger event alone', async () => {
    const reader = await addReader();
    const text = 'x'.repeat(1_500_000);
    await reader.publish(3, { data: { text } });
    await reader.publish(1, { data: { text: text.repeat(4) } });
    const pages = await Promise.all([0, 2, 3].map((after) => reader.read({ after }).expect(200)));
    expect(pages.map(({ body }) => sequencesOf(body.data))).toEqual([[1, 2], [3], [4]]);
  });

  it('returns only events of the organization of the key', async () => {
    const [one, other] = [await addReader(), await addReader()];
    const own = await one.publish(3);
    await other.publish(2);
    const ids = (await one.readAll()).map(({ id }) => id);
    expect(ids).toEqual(own.map(({ _id }) => `msg_${_id.toHexString()}`));
  });

  it.each<[Document, string | RegExp]>([
    [{ after: -1 }, 'after must be a whole number from 0 to 9007199254740991'],
    [{ after: 1.5 }, 'after must be a whole number from 0 to 9007199254740991'],
    [{ limit: 0 }, 'limit must be a whole number from 1 to 1000'],
    [{ limit: 1001 }, 'limit must be a whole number from 1 to 1000'],
    [{ wait: 26 }, 'wait must be a whole number from 0 to 25'],
    [
      { types: 'lead.created,lead' },
      /^types must be one of .*: \*, client\.\*, .*, lead\.erased, /,
    ],
    [{ types: 'webhook.ping' }, /^types must be one of /],
    [{ since: 1 }, 'since is not a known parameter'],
  ])('returns 400 for %j', async (parameters, message) => {
    const { body } = await (await addReader()).read(parameters).expect(400);
    expect(body.message).toEqual([expect.stringMatching(message)]);
  });

  it('refuses a number after the last one, but accepts one from before a failover', async () => {
    const reader = await addReader();
    await reader.publish(2);
    await reader.read({ after: 2 }).expect(200);
    // A read first takes the last number from its snapshot, which may be outdated after a failover.
    const numbers = jest.spyOn(feed.service.service.app.get(EventFeedsRepository), 'lastNumber');
    numbers.mockResolvedValueOnce(1);
    const { body } = await reader.read({ after: 2 }).expect(200);
    expect(body).toMatchObject({ data: [], next: 2, hasMore: false });
    numbers.mockRestore();
    const tooHigh = await reader.read({ after: 3 }).expect(400);
    expect(tooHigh.headers['x-error-code']).toBe('events.beyond_last');
    expect(tooHigh.body.message).toEqual(['after must not exceed 2, the number of the last event']);
  });

  it('returns 304 until there is a new event', async () => {
    const reader = await addReader();
    const { headers } = await reader.read().expect(200);
    const tag = { 'if-none-match': headers['etag'] };
    await reader.read({}, tag).expect(304);
    await reader.publish(1);
    await reader.read({}, tag).expect(200);
  });

  it('hides expired events, and returns 410 with the next number after a gap', async () => {
    const reader = await addReader();
    await reader.publish(6);
    const { organizationId } = reader;
    const backdate = (from: number, to: number, days: number) =>
      collection('outboxEvents').updateMany(
        { organizationId, sequence: { $gte: from, $lte: to } },
        { $set: { numberedAt: new Date(Date.now() - days * 86_400_000) } },
      );
    const remove = (...sequences: number[]) =>
      collection('outboxEvents').deleteMany({ organizationId, sequence: { $in: sequences } });
    const sequences = async (parameters: Document) =>
      sequencesOf((await reader.read(parameters).expect(200)).body.data);
    const nextCursor = async (parameters: Document) =>
      (await reader.read(parameters).expect(410)).headers['x-next-cursor'];
    await backdate(1, 4, 2.01);
    // The database has not removed the expired events yet.
    const expired = await reader.read({ after: 2 }).expect('x-error-code', 'events.expired');
    const message =
      'The events after this position have expired: read the current state with GET /leads, /reservations, /compounds and /units, then continue with after=4';
    expect(expired.body).toEqual({ statusCode: 410, message, error: 'Gone' });
    expect(await nextCursor({ after: 3, types: 'unit.*' })).toBe('4');
    expect(await sequences({ after: 4 })).toEqual([5, 6]);
    expect(await sequences({ types: 'lead.*' })).toEqual([5, 6]);
    // The database may remove expired events in any order.
    await remove(1, 3);
    expect(await sequences({})).toEqual([5, 6]);
    await remove(2, 4);
    expect(await nextCursor({ after: 1 })).toBe('4');
    // Without events the feed continues after its last number.
    await backdate(5, 6, 3);
    expect(await nextCursor({ after: 1 })).toBe('6');
    expect((await reader.read().expect(200)).body).toEqual({ data: [], next: 6, hasMore: false });
    await reader.publish(1);
    expect(await sequences({ after: 6 })).toEqual([7]);
  });
});
