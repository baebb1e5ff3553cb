import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { getConnectionToken, getModelToken } from '@nestjs/mongoose';
import { type Document, type IndexDescription, ObjectId } from 'mongodb';
import { type Connection, type Model, Types } from 'mongoose';
import { documentValidator } from '../../src/core/database/documents/stored-types.js';
import { DatabaseStructure } from '../../src/core/database/structure/database-structure.js';
import { Migrations } from '../../src/core/database/structure/migrations.js';
import { Clock } from '../../src/core/configuration/clock.js';
import { Metrics } from '../../src/core/observability/metrics.js';
import { LeadPhoneKeys } from '../../src/leads/phones/lead-phone-keys.js';
import { valueIn } from '../operations/metrics-text.js';
import { addLead, addTenant } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { rounds } from '../support/rounds.js';
import { randomDatabaseUri, startTestService, type TestService } from '../support/test-service.js';

let service: TestService;
let structure: DatabaseStructure;

beforeAll(async () => {
  service = await startTestService({}, randomDatabaseUri());
  structure = service.service.app.get(DatabaseStructure);
});
afterAll(() => service.stop());

const conventions = () => ({
  organizationId: new ObjectId(),
  isDeleted: false,
  createdAt: new Date(),
  updatedAt: new Date(),
});

describe('the database structure', () => {
  it('is complete after startup, and its missing parts are reported', async () => {
    expect((await structure.status()).isComplete).toBe(true);
    await service.db.collection('leads').dropIndex('phoneKeys');
    await service.db.command({ collMod: 'clients', validator: {} });
    await service.db.collection('counters').drop();
    expect((await structure.status()).isComplete).toBe(false);
    const incomplete = (await structure.status()).collections.filter(
      (state) => !state.exists || state.missingIndexes.length > 0 || !state.validatorIsCurrent,
    );
    expect(incomplete).toEqual([
      { collection: 'clients', exists: true, missingIndexes: [], validatorIsCurrent: false },
      {
        collection: 'counters',
        exists: false,
        missingIndexes: ['counter'],
        validatorIsCurrent: false,
      },
      {
        collection: 'leads',
        exists: true,
        missingIndexes: ['phoneKeys'],
        validatorIsCurrent: true,
      },
    ]);
    await structure.apply();
    expect((await structure.status()).isComplete).toBe(true);
  });

  it('changes only with a migration that older instances detect', async () => {
    const { models } = service.service.app.get<Connection>(getConnectionToken());
    const declared = Object.values(models).map(({ collection, schema }) => [
      collection.collectionName,
      documentValidator(schema),
      schema.indexes(),
    ]);
    const hash = createHash('sha256').update(JSON.stringify(declared.toSorted())).digest('hex');
    const { migrations } = await service.service.app.get(Migrations).status();
    // Before the release of 1.0.0 note the new hash; after it register the next migration, an empty one where
    // nothing stored changes, and note both.
    const noted = [0, '58287f532cd09799'];
    expect([migrations.at(-1)?.version ?? 0, hash.slice(0, 16)]).toEqual(noted);
  });

  it('changes the time of a TTL index without a rebuild', async () => {
    const [name, expireAfterSeconds] = ['webhookStatistics', 45 * 86_400];
    await service.db.command({ collMod: name, index: { name: 'expiry', expireAfterSeconds: 60 } });
    const statistics = service.service.app.get<Model<unknown>>(getModelToken('WebhookStatistics'));
    const building = jest.spyOn(statistics.collection, 'createIndexes');
    const stateOf = async () =>
      (await structure.status()).retention.find(({ collection }) => collection === name);
    expect(await stateOf()).toMatchObject({ kind: 'webhook statistics', isCurrent: false });
    expect((await structure.status()).isComplete).toBe(true);
    await structure.apply();
    const indexes = await service.db.collection(name).indexes();
    expect(indexes.find(({ name: index }) => index === 'expiry')).toMatchObject({
      expireAfterSeconds,
    });
    expect([building.mock.calls, await stateOf()]).toEqual([
      [],
      expect.objectContaining({ isCurrent: true }),
    ]);
  });

  const collation = { locale: 'en', strength: 1 };
  const byEmail = { organizationId: 1, email: 1 };
  const expireAfterSeconds = 3_888_000;
  it.each<[string, string, IndexDescription]>([
    ['leads', 'no uniqueness', { name: 'leadId', key: { organizationId: 1, leadId: 1 } }],
    ['webhookStatistics', 'another key', { name: 'expiry', key: { at: -1 }, expireAfterSeconds }],
    [
      'webhookStatistics',
      'a filter',
      {
        name: 'expiry',
        key: { at: 1 },
        expireAfterSeconds,
        partialFilterExpression: { at: { $gt: new Date(0) } },
      },
    ],
    ['webhookStatistics', 'no time', { name: 'expiry', key: { at: 1 }, unique: true }],
    ['clients', 'no collation', { name: 'email', key: byEmail, collation: { locale: 'simple' } }],
    [
      'clients',
      'a collation',
      { name: 'byPhone', key: { organizationId: 1, phoneNumbers: 1 }, collation },
    ],
    [
      'clients',
      'another order',
      { name: 'email', key: { email: 1, organizationId: 1 }, collation },
    ],
  ])('replaces an index of %s with %s and keeps those of other programs', async (...row) => {
    const [name, , index] = row;
    const collection = service.db.collection(name);
    const before = await collection.indexes();
    await collection.dropIndex(index.name ?? '');
    const filter = name === 'clients' ? { partialFilterExpression: { isDeleted: false } } : {};
    const foreign = { key: { 'data.budget': 1 }, name: 'reports' } as const;
    await collection.createIndexes([{ ...filter, ...index }, foreign]);
    const differing = async () => {
      const { collections, retention } = await structure.status();
      const kept = retention.filter(({ isCurrent }) => !isCurrent);
      return [...collections.flatMap(({ missingIndexes }) => missingIndexes), ...kept];
    };
    expect(await differing()).toEqual([
      index.name === 'expiry' ? expect.objectContaining({ collection: name }) : index.name,
    ]);
    await structure.apply();
    expect(await differing()).toEqual([]);
    const after = await collection.indexes();
    expect(after).toEqual(expect.arrayContaining([...before, expect.objectContaining(foreign)]));
    await collection.dropIndex(foreign.name);
  });

  it('is applied by several processes at the same time', async () => {
    await service.db.dropDatabase();
    await Promise.all([structure.apply(), structure.apply(), structure.apply()]);
    expect((await structure.status()).isComplete).toBe(true);
  });

  it('has one outdated index replaced when several processes start together', async () => {
    const leads = service.db.collection('leads');
    for (let round = 0; round < rounds(1, 5); round += 1) {
      await leads.dropIndex('leadId');
      await leads.createIndexes([{ key: { organizationId: 1, leadId: 1 }, name: 'leadId' }]);
      await Promise.all([structure.apply(), structure.apply(), structure.apply()]);
      expect((await structure.status()).isComplete).toBe(true);
    }
  });

  it('has the organization first in every tenant index', async () => {
    const exceptions = [
      'withoutPhoneKeys',
      'changedElsewhere',
      'expiry',
      'unnumbered',
      'numberedExpiry',
      'hash',
      'queue',
      'due',
    ];
    const global = ['organizations', 'migrations', 'leases', 'usageStats'];
    for (const { name } of await service.db.listCollections().toArray()) {
      if (global.includes(name)) continue;
      const indexes = await service.db.collection(name).indexes();
      for (const { name: index = '', key } of indexes) {
        if (index === '_id_' || exceptions.includes(index)) continue;
        expect([name, index, Object.keys(key)[0]]).toEqual([name, index, 'organizationId']);
      }
    }
  });
});

describe('a unique index', () => {
  const duplicates: [string, Document][] = [
    ['leads', { recordSystemId: 'x' }],
    ['leads', { leadId: 1 }],
    ['leads', { leadId: 1, isDeleted: true }],
    ['compounds', { slug: 'x' }],
    ['units', { slug: 'x' }],
    ['units', { recordSystemId: 'x' }],
    ['units', { compoundId: new ObjectId(), unitId: 'x' }],
    ['apiKeys', { hash: 'x' }],
  ];

  it.each(duplicates)('of %s rejects a second %p from any program', async (name, fields) => {
    const document = { ...conventions(), ...fields };
    const collection = service.db.collection(name);
    await collection.insertOne({ ...document });
    await expect(collection.insertOne({ ...document })).rejects.toMatchObject({ code: 11_000 });
    if (!('hash' in fields))
      await collection.insertOne({ ...document, organizationId: new ObjectId() });
  });

  it.each(['leads', 'compounds', 'units'])(
    'of %s ignores deleted documents and missing ids',
    async (name) => {
      const document = { ...conventions(), recordSystemId: 'x', slug: 'x', isDeleted: true };
      const bare = { ...document, isDeleted: false, recordSystemId: undefined, slug: undefined };
      const { recordSystemId: _id, slug: _slug, ...withoutIds } = bare;
      const { insertedCount } = await service.db
        .collection(name)
        .insertMany([document, { ...document }, withoutIds, { ...withoutIds }]);
      expect(insertedCount).toBe(4);
    },
  );
});

describe('the validators', () => {
  it('accept unknown fields, other numeric types and null', async () => {
    const lead = { ...conventions(), leadId: 7n, clientId: null, ours: { x: 1 } };
    const unit = { ...conventions(), price: 1.5, unitDesignId: null };
    const user = { ...conventions(), name: 'Hany', isDeleted: undefined };
    const leads = await service.db.collection('leads').insertMany([conventions(), lead]);
    await service.db.collection('units').insertOne(unit);
    await service.db.collection('users').insertOne(user);
    expect(leads.insertedCount).toBe(2);
  });

  it.each<[string, Document]>([
    ['leads', { data: 'text' }],
    ['leads', { leadId: '7' }],
    ['leads', { compoundsIds: ['6740b1f2c3d4e5f607182930'] }],
    ['leads', { createdAt: '2026-01-01' }],
    ['compounds', { name: { 'en-us': 7 } }],
    ['units', { price: '7' }],
  ])('reject %s with %p', async (name, fields) => {
    const insertion = service.db.collection(name).insertOne({ ...conventions(), ...fields });
    await expect(insertion).rejects.toMatchObject({ code: 121 });
  });
});

describe('a version with a migration', () => {
  let upgraded: TestService;
  const upgrade = () => upgraded.service.app.get(DatabaseStructure);
  const ids = Array.from({ length: 3 }, () => new Types.ObjectId());
  const hex = ids.map((id) => id.toHexString());
  const seen: (string | null)[] = [];
  const indexNames = async () =>
    (await service.db.collection('leads').indexes()).map(({ name }) => name);
  let isBroken = true;

  beforeAll(async () => {
    upgraded = await startTestService({}, service.databaseUri);
    upgraded.service.app.get(Migrations).register({
      version: 1,
      name: 'three batches',
      runBatch: async (after) => {
        expect(await indexNames()).toContain('phoneKeys');
        seen.push(after?.toHexString() ?? null);
        if (isBroken && after?.equals(ids[1])) throw new Error('interrupted');
        return ids[after === null ? 0 : ids.findIndex((id) => id.equals(after)) + 1] ?? null;
      },
    });
  });
  afterAll(async () => {
    await service.db.collection('migrations').deleteMany({});
    await upgraded.stop();
  });

  it('keeps instances of the previous version ready while it prepares the database', async () => {
    await service.db.collection('leads').dropIndex('phoneKeys');
    expect(await structure.status()).toMatchObject({ isComplete: false, isOfNewerVersion: false });
    const leads = upgraded.service.app.get<Model<unknown>>(getModelToken('Lead'));
    jest
      .spyOn(leads.collection, 'createIndexes')
      .mockRejectedValueOnce(new Error('The database is gone.'));
    await expect(upgrade().apply()).rejects.toThrow('gone');
    expect(await structure.status()).toMatchObject({ isComplete: true, isOfNewerVersion: true });
    expect(await upgrade().status()).toMatchObject({ isComplete: false, isOfNewerVersion: false });
  });

  it('runs the migration once, in batches, after the index builds, and resumes after interruptions', async () => {
    await expect(upgrade().apply()).rejects.toThrow('interrupted');
    expect(await upgrade().status()).toMatchObject({
      isComplete: false,
      migrations: [{ version: 1, name: 'three batches', state: 'interrupted' }],
    });
    isBroken = false;
    expect(await upgrade().apply()).toEqual(['three batches']);
    expect(seen).toEqual([null, hex[0], hex[1], hex[1], hex[2]]);
    expect(await upgrade().apply()).toEqual([]);
    expect(seen).toHaveLength(5);
    expect(await upgrade().status()).toMatchObject({ isComplete: true, isOfNewerVersion: false });
  });

  it('runs the migration on a new database that several processes prepare', async () => {
    await service.db.collection('migrations').drop();
    seen.length = 0;
    await Promise.all([upgrade().apply(), upgrade().apply(), upgrade().apply()]);
    expect(await service.db.collection('migrations').countDocuments()).toBe(1);
    expect(new Set(seen)).toEqual(new Set([null, ...hex]));
    expect(await upgrade().status()).toMatchObject({ isComplete: true });
  });
});

describe('the background pass over phones', () => {
  beforeAll(async () => {
    // The instance of the tests above may have had the lease. This one asks for it again after some seconds.
    const { organizationId } = await addTenant(service.db);
    const _id = await addLead(service.db, organizationId, { data: { phoneNumber: '01005554443' } });
    await eventually(async () => {
      await service.service.app.get(LeadPhoneKeys).run();
      const lead = await service.db.collection('leads').findOne({ _id });
      expect(lead).toHaveProperty('phoneKeys');
    });
  });

  it('adds comparison keys to leads that are older than the service', async () => {
    const { organizationId } = await addTenant(service.db, { settings: { phoneCountry: 'SA' } });
    const numbers = Array.from({ length: 1_203 }, (_, index) => 500_000_000 + index);
    for (const number of [numbers[0], numbers[1]]) {
      await addLead(service.db, organizationId, { data: { phoneNumber: `0${number}` } });
    }
    const longAgo = new Date('2025-01-01');
    await service.db.collection('leads').insertMany(
      numbers.slice(2).map((number) => ({
        organizationId,
        leadId: number,
        data: { phoneNumber2: number },
        isDeleted: false,
        createdAt: longAgo,
        updatedAt: longAgo,
      })),
    );
    await service.service.app.get(LeadPhoneKeys).run();
    const leads = await service.db.collection('leads').find({ organizationId }).toArray();
    expect(leads.flatMap((lead) => lead['phoneKeys'] as string[]).toSorted()).toEqual(
      numbers.map((number) => `+966${number}`),
    );
  });

  it('logs an organization with an invalid country once', async () => {
    const settings = { phoneCountry: 'UK' };
    const { organizationId } = await addTenant(service.db, { settings });
    const { organizationId: lowerCase } = await addTenant(service.db, {
      settings: { phoneCountry: 'eg' },
    });
    const pass = service.service.app.get(LeadPhoneKeys);
    const reports = () =>
      service
        .logged()
        .split('\n')
        .filter(
          (line) => line.includes('Unknown phone country') && line.includes(String(organizationId)),
        );
    await pass.run();
    await pass.run();
    expect(reports()).toEqual([expect.stringContaining('"stored":"UK","used":"EG"')]);
    expect(service.logged()).not.toContain(String(lowerCase));
  });

  it('continues after an invalid lead and logs it once', async () => {
    const { organizationId } = await addTenant(service.db);
    const data = { phoneNumber: '01001234567' };
    const broken = { ...conventions(), data, assignedToId: 'Mona' };
    const unusable = { ...conventions(), data, organizationId: 'Nile Homes' };
    const { insertedIds } = await service.db
      .collection('leads')
      .insertMany([unusable, broken], { bypassDocumentValidation: true });
    const good = await addLead(service.db, organizationId, { data });
    const pass = service.service.app.get(LeadPhoneKeys);
    await pass.run();
    const leads = service.db.collection('leads').find({ 'data.phoneNumber': data.phoneNumber });
    const derived = (await leads.toArray()).filter(({ phoneKeys }) => phoneKeys !== undefined);
    expect(derived.map(({ _id }) => _id)).toEqual([insertedIds[1], good]);
    const logged =
      service
        .logged()
        .match(/.*Could not compute the phone keys of a lead; retrying when it changes/g) ?? [];
    expect(logged).toEqual([expect.stringContaining(String(insertedIds[0]))]);
    await service.db.collection('leads').deleteMany({});
  });

  it('recomputes keys when any program changes the country', async () => {
    const { organizationId } = await addTenant(service.db);
    const [lead, longAgo] = [service.db.collection('leads'), new Date(Date.now() - 3_600_000)];
    const data = { phoneNumber: '050 123 4567' };
    await addLead(service.db, organizationId, { data, createdAt: longAgo, updatedAt: longAgo });
    const pass = service.service.app.get(LeadPhoneKeys);
    await pass.run();
    expect(await lead.findOne({ organizationId })).toMatchObject({ phoneKeys: ['+20501234567'] });
    const $set = { 'settings.phoneCountry': 'SA', updatedAt: new Date() };
    await service.db.collection('organizations').updateOne({ _id: organizationId }, { $set });
    await pass.run();
    expect(await lead.findOne({ organizationId })).toMatchObject({ phoneKeys: ['+966501234567'] });
    // A request knew the country of some seconds ago, and was stored after the pass.
    const updatedAt = new Date();
    const late = { phoneKeys: ['+20501234567'], phoneKeysOf: '["EG","050 123 4567"]' };
    const fields = { ...late, phoneKeysAt: updatedAt, updatedAt };
    await lead.updateOne({ organizationId }, { $set: fields });
    await pass.run();
    expect(await lead.findOne({ organizationId })).toMatchObject({ phoneKeys: ['+966501234567'] });
  });

  it('reads only leads of other programs, each one once', async () => {
    const tenant = await addTenant(service.db);
    // The leads of an organization that has just changed are looked through for their country.
    const $set = { updatedAt: new Date(Date.now() - 3_600_000) };
    await service.db.collection('organizations').updateMany({}, { $set });
    const pass = service.service.app.get(LeadPhoneKeys);
    await pass.run();
    const metrics = service.service.app.get(Metrics);
    const read = () => valueIn(metrics, 'phone_key_leads_total');
    const readBefore = (await read()) ?? 0;
    const foreign = await addLead(service.db, tenant.organizationId, {
      data: { phoneNumber: '(+20) 100.999.0000' },
    });
    for (let number = 0; number < 30; number++) {
      const body = { recordSystemId: `own-${number % 20}`, phoneNumber: `01009${1e6 + number}` };
      await service.api('post', '/leads').set('api-key', tenant.key).send(body);
    }
    await service.db.command({ profile: 2 });
    await pass.run();
    await service.db.collection('leads').findOne({ _id: foreign });
    await pass.run();
    await service.db.command({ profile: 0 });
    const ns = `${service.db.databaseName}.leads`;
    const profile = service.db.collection('system.profile');
    const reads = await profile.find({ ns, op: { $in: ['query', 'command'] } }).toArray();
    const examined = reads.reduce((sum, { docsExamined = 0 }) => sum + Number(docsExamined), 0);
    // This test's own read, and two of the pass: of the index entry's lead, and of its phones.
    expect(examined).toBeLessThanOrEqual(3);
    expect(reads.every(({ planSummary }) => planSummary !== 'COLLSCAN')).toBe(true);
    expect(await read()).toBe(readBefore + 1);
    const lead = await service.db.collection('leads').findOne({ _id: foreign });
    expect(lead).toMatchObject({ phoneKeys: ['+201009990000'], phoneKeysAt: lead?.['updatedAt'] });
  });

  it('reads a lead of an earlier version again and keeps its keys', async () => {
    const { organizationId } = await addTenant(service.db);
    const data = { phoneNumber: '01001234567' };
    const derived = { phoneKeys: ['as it is'], phoneKeysOf: '["EG","01001234567"]' };
    const _id = await addLead(service.db, organizationId, { data, ...derived });
    const pass = service.service.app.get(LeadPhoneKeys);
    await pass.run();
    const lead = await service.db.collection('leads').findOne({ _id });
    expect(lead).toMatchObject({ ...derived, phoneKeysAt: lead?.['updatedAt'] });
  });

  it('finds a lead that is committed 100 seconds after its updatedAt', async () => {
    const { organizationId } = await addTenant(service.db);
    const { app } = service.service;
    const pass = app.get(LeadPhoneKeys);
    await pass.run();
    const data = { phoneNumber: '01001234567' };
    const updatedAt = new Date(Date.now() - 100_000);
    const stale = { phoneKeys: [], phoneKeysOf: '["EG"]' };
    const _id = await addLead(service.db, organizationId, { data, updatedAt, ...stale });
    let passed = 0;
    const clock = app.get(Clock);
    clock.now = () => new Date(Date.now() + passed);
    passed = 60_000;
    await pass.run();
    const lead = await service.db.collection('leads').findOne({ _id });
    expect(lead).toMatchObject({ phoneKeys: ['+201001234567'] });
    clock.now = () => new Date();
  });

  it('runs in one instance, and in another one when the first is killed', async () => {
    const other = await startTestService({}, service.databaseUri);
    const [pass, otherPass] = [service, other].map((one) => one.service.app.get(LeadPhoneKeys));
    const leases = service.db.collection('leases');
    const owner = async () => (await leases.findOne({ name: 'lead-phone-keys' }))?.['owner'];
    await pass?.run();
    const first = await owner();
    await otherPass?.run();
    expect(await owner()).toBe(first);
    // As if nothing was heard of the first one for so long.
    await leases.updateOne({ name: 'lead-phone-keys' }, { $set: { until: new Date() } });
    other.service.app.get(Clock).now = () => new Date(Date.now() + 20_000);
    await otherPass?.run();
    const second = await owner();
    expect(second).not.toBe(first);
    const { organizationId } = await addTenant(service.db);
    const data = { phoneNumber: '(+20) 100.123.4567' };
    const _id = await addLead(service.db, organizationId, { data });
    service.service.app.get(Clock).now = () => new Date(Date.now() + 10_000);
    await pass?.run();
    await otherPass?.run();
    expect(await owner()).toBe(second);
    const lead = await service.db.collection('leads').findOne({ _id });
    expect(lead).toMatchObject({ phoneKeys: ['+201001234567'] });
    // One that stops hands it over at once.
    await other.stop();
    service.service.app.get(Clock).now = () => new Date(Date.now() + 20_000);
    await pass?.run();
    expect(await owner()).toBe(first);
    service.service.app.get(Clock).now = () => new Date();
  });
});
