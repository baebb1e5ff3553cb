import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { getConnectionToken } from '@nestjs/mongoose';
import { ObjectId } from 'mongodb';
import type { Connection } from 'mongoose';
import { ApiKeysService } from '../../src/tenants/keys/api-keys.service.js';
import { addKey } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import type { TenantApi } from '../support/tenant-api.js';
import { randomDatabaseUri, type TestService } from '../support/test-service.js';
import { addCalls, dayMs, moveClock, operatorOf, startRecording, store } from './usage-service.js';

const databaseUri = randomDatabaseUri();

let service: TestService;
let second: TestService;
let tenant: TenantApi;
beforeAll(async () => {
  service = await startRecording(databaseUri);
  second = await startRecording(databaseUri);
  tenant = await service.addTenant();
});
afterAll(async () => {
  await second.stop();
  await service.stop();
});
afterEach(() => moveClock(service, 0));

const newKey = async (fields = {}) => {
  const _id = new ObjectId();
  const key = await tenant.add(addKey, { _id, name: _id.toHexString(), ...fields });
  return { _id, id: _id.toHexString(), key };
};
const newOrganization = async (name: string) => {
  const added = await service.addTenant();
  const filter = { _id: added.organizationId };
  await service.db.collection('organizations').updateOne(filter, { $set: { name } });
  return added;
};
const find = async (id: string) => (await operatorOf(service).partners.find(id)) ?? {};
/** Returns the ids of the first hundred partners. */
const listed = async (search = {}) => {
  const { items } = await operatorOf(service).partners.list({ page: 1, pageSize: 100, ...search });
  return items.map(({ keyId }) => keyId);
};

describe('the state of a partner', () => {
  it.each<[string, string, readonly number[], Record<string, number>]>([
    ['silent', 'five of the last seven days, but not for a day', [1.1, 2.1, 3.1, 4.1, 6.1], {}],
    ['active', 'four of the last seven days', [1.1, 2.1, 3.1, 4.1], {}],
    ['active', 'five of the last seven days and today', [0.9, 1.1, 2.1, 3.1, 4.1, 6.1], {}],
    ['failing', 'ten errors of 49 calls', [0.1], { calls: 49, refused: 9, failed: 1 }],
    ['active', 'ten errors of 50 calls', [0.1], { calls: 50, refused: 10 }],
    ['active', 'nine errors of nine calls', [0.1], { calls: 9, failed: 9 }],
    ['unused', 'no call in 28 days', [28.1], {}],
    ['active', 'a call 27 days ago', [27], {}],
  ])('is %s with %s', async (state, _title, daysAgo, counts) => {
    const { _id, id } = await newKey();
    await addCalls(service.db, _id, daysAgo, counts);
    expect(await find(id)).toMatchObject({ keyId: id, state });
    expect(await listed({ text: id })).toEqual([id]);
    const shown = { all: true, silent: false, failing: false, unused: false, [state]: true };
    for (const [show, isShown] of Object.entries(shown)) {
      if (show !== 'active')
        expect([show, await listed({ text: id, show })]).toEqual([show, isShown ? [id] : []]);
    }
    const { silent, failing } = await operatorOf(service).partners.needingAttention(100);
    const ids = [silent, failing].map((all) => all.map(({ keyId }) => keyId).includes(id));
    expect(ids).toEqual([state === 'silent', state === 'failing']);
  });

  it('becomes silent when the clock passes a day without a call', async () => {
    const { _id, id, key } = await newKey();
    await addCalls(service.db, _id, [1, 2, 3, 4]);
    await tenant.with(key).get('/compounds').expect(200);
    await store(service);
    await eventually(async () => expect(await find(id)).toMatchObject({ activeDays: 5 }));
    for (const [hours, state] of [
      [0, 'active'],
      [23, 'active'],
      [25, 'silent'],
    ] as const) {
      moveClock(service, hours * 3_600_000);
      expect([hours, await find(id)]).toMatchObject([hours, { state }]);
    }
  });

  it.each<[string, object]>([
    ['revoked', { revokedAt: new Date(0) }],
    ['expired', { expiresAt: new Date(0) }],
  ])('is ended for a key that is %s, which the list omits by default', async (_title, fields) => {
    const { _id, id } = await newKey(fields);
    await addCalls(service.db, _id, [1.1, 2.1, 3.1, 4.1, 5.1]);
    expect(await find(id)).toMatchObject({ state: 'ended', isReducible: false });
    expect(await listed({ text: id })).toEqual([]);
    expect(await listed({ text: id, show: 'ended' })).toEqual([id]);
  });

  it('is ended when the organization is gone', async () => {
    const gone = await service.addTenant();
    const _id = new ObjectId();
    await gone.add(addKey, { _id });
    const { organizationId } = gone;
    const $set = { isDeleted: true };
    await service.db.collection('organizations').updateOne({ _id: organizationId }, { $set });
    expect(await find(_id.toHexString())).toMatchObject({ state: 'ended', organizationName: '' });
  });

  it.each(['x', new ObjectId().toHexString()])('is null for an unknown key: %s', async (id) => {
    expect(await operatorOf(service).partners.find(id)).toBeNull();
  });
});

it('keys that are silent, and keys in use that expire within 14 days, are counted', async () => {
  const { partners } = operatorOf(service);
  const before = await partners.attentionCounts();
  const inDays = (days: number) => ({ expiresAt: new Date(Date.now() + days * dayMs) });
  const silent = await newKey();
  await addCalls(service.db, silent._id, [1.1, 2.1, 3.1, 4.1, 5.1]);
  const [soon, later, unused] = [inDays(13), inDays(15), inDays(13)];
  await addCalls(service.db, (await newKey(soon))._id, [0.1]);
  await addCalls(service.db, (await newKey(later))._id, [0.1]);
  await addCalls(service.db, (await newKey(unused))._id, [8]);
  expect(await partners.attentionCounts()).toEqual({
    silent: before.silent + 1,
    expiring: before.expiring + 1,
  });
});

describe('the operations of a partner', () => {
  const permissions = { allowExternal: true, operations: ['leads.read', 'catalogue.read'] };
  const issuedBefore = { permissions, createdAt: new Date(Date.now() - 8 * dayMs) };
  const noteSince = async (id: string, days: number) => {
    const since = new Date(Date.now() - days * dayMs);
    const activity = service.db.collection('keyActivity');
    await activity.updateOne({ _id: new ObjectId(id) }, { $set: { since } });
  };

  it('are shown with the last use that the key permitted, and name those to remove', async () => {
    const { id, key } = await newKey(issuedBefore);
    const from = second.api('get', '/leads/unknown').set('api-key', key);
    await from.expect(404);
    await tenant.with(key).get('/events').expect(403);
    await store(service, second);
    await eventually(async () =>
      expect(await find(id)).toMatchObject({
        operations: ['leads.read', 'catalogue.read'],
        usedOperations: [{ operation: 'leads.read', lastUsedAt: expect.any(Date) }],
        unusedOperations: ['catalogue.read'],
        isReducible: false,
      }),
    );
    await noteSince(id, 8);
    expect(await find(id)).toMatchObject({ isReducible: true });
    expect(await listed({ show: 'reducible', text: id })).toEqual([id]);
    await tenant.with(key).get('/compounds').expect(200);
    await store(service);
    expect(await find(id)).toMatchObject({ unusedOperations: [], isReducible: false });
    moveClock(service, 29 * dayMs);
    expect(await find(id)).toMatchObject({
      unusedOperations: ['leads.read', 'catalogue.read'],
      isReducible: false,
    });
  });

  it('are not to be removed until uses have been noted for seven days', async () => {
    const { id, key } = await newKey(issuedBefore);
    await tenant.with(key).get('/compounds').expect(200);
    await store(service);
    await noteSince(id, 6);
    expect(await find(id)).toMatchObject({ isReducible: false });
    await noteSince(id, 7.1);
    // A later use does not count as the first.
    await tenant.with(key).get('/compounds').expect(200);
    await store(service);
    expect(await find(id)).toMatchObject({ isReducible: true });
  });
});

describe('the feed position of a partner', () => {
  const permissions = { allowExternal: true, operations: ['events.read'] };
  /** Stores the number of the organization's last event, as the relay does. */
  const setLast = (last: number) => {
    const { organizationId } = tenant;
    const now = new Date();
    const update = { $set: { last, organizationId, createdAt: now, updatedAt: now } };
    const filter = { _id: organizationId };
    return service.db.collection('eventFeeds').updateOne(filter, update, { upsert: true });
  };

  it('is that of the newest accepted request, in any process', async () => {
    await setLast(10);
    const { id, key } = await newKey({ permissions });
    const read = (from: TestService, after: number) =>
      from.api('get', `/events?after=${after}`).set('api-key', key);
    expect(await find(id)).toMatchObject({ feed: null });
    await read(service, 10).expect(200);
    await read(service, 11).expect(400);
    await read(service, -1).expect(400);
    await store(service);
    const { feed } = (await operatorOf(service).partners.find(id)) ?? {};
    expect(feed).toEqual({ after: 10, at: expect.any(Date), lag: 0 });
    // The second process stores its later request first.
    await read(service, 10).expect(200);
    moveClock(second, 60_000);
    await read(second, 10).expect(200);
    moveClock(second, 0);
    await setLast(25);
    await store(second);
    await store(service);
    const partner = await operatorOf(service).partners.find(id);
    expect(partner?.feed?.lag).toBe(15);
    expect(Number(partner?.feed?.at)).toBeGreaterThan(Date.now());
    expect(await listed({ show: 'readers', text: id })).toEqual([id]);
  });
});

describe('the list of partners', () => {
  it('finds keys by name and prefix, and by name and id of the organization, in any case', async () => {
    const name = `Nile ${new ObjectId().toHexString()} (Café)`;
    const other = await newOrganization(`Org ${name}`);
    const [_id, prefix] = [new ObjectId(), `iapi_${new ObjectId().toHexString().slice(-6)}`];
    await other.add(addKey, { _id, name: `Key ${name}`, prefix });
    const organizationId = other.organizationId.toHexString();
    for (const text of [`KEY ${name}`, prefix.toUpperCase(), `org ${name}`, organizationId]) {
      expect([text, await listed({ text })]).toEqual([text, expect.arrayContaining([String(_id)])]);
    }
    expect(await listed({ text: `${name}.` })).toEqual([]);
    const keys = service.service.app.get(ApiKeysService);
    for (const text of [`kEY ${name}`, prefix, String(_id)]) {
      const found = await keys.searchKeys(text);
      expect(found.map((key) => [String(key._id), 'hash' in key])).toEqual([[String(_id), false]]);
    }
    expect(await keys.searchKeys('\0')).toEqual([]);
  });

  it('counts what the text matches and returns pages, the most urgent first', async () => {
    const other = await service.addTenant();
    const ids = await Promise.all(
      [[1.1, 2.1, 3.1, 4.1, 5.1], [0.1], [0.2], [29]].map(async (daysAgo, index) => {
        const _id = new ObjectId();
        await other.add(addKey, { _id, name: `${index}` });
        await addCalls(service.db, _id, daysAgo, {
          calls: 20 - index,
          failed: index === 1 ? 12 : 0,
        });
        return _id.toHexString();
      }),
    );
    const text = other.organizationId.toHexString();
    const pageOf = async (page: number) =>
      operatorOf(service).partners.list({ text, page, pageSize: 3 });
    const { items, total, counts } = await pageOf(1);
    expect([...items, ...(await pageOf(2)).items].slice(0, 3).map(({ keyId }) => keyId)).toEqual(
      ids.slice(0, 3),
    );
    expect([total, counts]).toEqual([
      5,
      { all: 5, silent: 1, failing: 1, reducible: 0, readers: 0, unused: 2, ended: 0 },
    ]);
    expect(items[0]).toMatchObject({ activeDays: 5 });
  });

  it('needs at most 8 commands with 3,000 organizations, and 5 for the overview', async () => {
    const fields = { isDeleted: false, createdAt: new Date(0), updatedAt: new Date(0) };
    const organizations = Array.from({ length: 3_000 }, (_, index) => ({
      _id: new ObjectId(),
      name: `Many ${index}`,
      ...fields,
    }));
    const keys = organizations.map(({ _id: organizationId, name }) => ({
      _id: new ObjectId(),
      organizationId,
      name,
      hash: `many-${name}`,
      lastUsedAt: new Date(Date.now() - 1.5 * dayMs),
      ...fields,
    }));
    await service.db.collection('organizations').insertMany(organizations);
    await service.db.collection('apiKeys').insertMany(keys);
    const activity = keys.map(({ _id }) => ({ _id, feed: { at: new Date(), after: 1 } }));
    await service.db.collection<{ _id: ObjectId }>('keyActivity').insertMany(activity);
    await service.db
      .collection('usage')
      .insertMany(
        keys.map(({ _id }) => ({ at: new Date(), apiKeyId: _id, route: 'GET /many', calls: 1 })),
      );
    const commands: string[] = [];
    const client = service.service.app.get<Connection>(getConnectionToken()).getClient();
    client.on('commandStarted', ({ commandName, command }) => {
      // The background job for phones reads leads, clients and changed organizations at the same time.
      const isOfPass =
        /leads|clients/.test(String(command[commandName])) || command['filter']?.updatedAt;
      if (/find|aggregate|getMore/.test(commandName) && !isOfPass) commands.push(commandName);
    });
    const { partners } = operatorOf(service);
    const { total } = await partners.list({ show: 'readers', page: 1, pageSize: 50 });
    expect(total).toBeGreaterThanOrEqual(3_000);
    expect(commands.length <= 8 ? [] : commands).toEqual([]);
    commands.length = 0;
    await partners.list({ page: 1, pageSize: 50 });
    expect(commands.length <= 8 ? [] : commands).toEqual([]);
    commands.length = 0;
    await partners.needingAttention(10);
    expect(commands.length <= 5 ? [] : commands).toEqual([]);
  });
});
