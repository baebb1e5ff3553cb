import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { getConnectionToken, getModelToken } from '@nestjs/mongoose';
import { type Document, type IndexDescription, ObjectId } from 'mongodb';
import { type Connection, type Model, Types } from 'mongoose';
import { documentValidator } from '../../src/core/database/structure/validators.js';
import { DatabaseStructure } from '../../src/core/database/structure/database-structure.js';
import { Migrations } from '../../src/core/database/structure/migrations.js';
import { Clock } from '../../src/core/configuration/clock.js';
import { Metrics } from '../../src/core/observability/metrics.js';
import { LeadPhoneKeys } from '../../src/leads/phones/lead-phone-keys.js';
import { valueIn } from '../operations/metrics-text.js';
import { addLead, conventions } from '../support/builders.js';
import { range } from '../support/counting.js';
import { eventually } from '../support/eventually.js';
import { logLinesWith } from '../support/log-lines.js';
import { rounds } from '../support/rounds.js';
import { randomDatabaseUri, startTestService, type TestService } from '../support/test-service.js';

let service: TestService;
let structure: DatabaseStructure;

beforeAll(async () => {
  service = await startTestService({}, randomDatabaseUri());
  structure = service.service.app.get(DatabaseStructure);
});
afterAll(() => service.stop());

const isComplete = async () => (await structure.status()).isComplete;
/** Returns a document of a new organization. */
const newDocument = (fields: Document = {}) => ({ ...conventions(new ObjectId()), ...fields });

describe('the database structure', () => {
  it('is complete after startup, and its missing parts are reported', async () => {
    expect(await isComplete()).toBe(true);
    await service.db.collection('leads').dropIndex('phoneKeys');
    await service.db.command({ collMod: 'clients', validator: {} });
    await service.db.collection('counters').drop();
    const { collections, ...status } = await structure.status();
    expect(status.isComplete).toBe(false);
    const states = collections.map(
      ({ collection, exists, missingIndexes, validatorIsCurrent }) =>
        `${collection} ${exists} ${missingIndexes.join()} ${validatorIsCurrent}`,
    );
    expect(states.filter((state) => !state.endsWith(' true  true'))).toEqual([
      'clients true  false',
      'counters false counter false',
      'leads true phoneKeys true',
    ]);
    await structure.apply();
    expect(await isComplete()).toBe(true);
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
    // A change comes with the next migration, which is empty if no stored data changes: then update both values.
    const recorded = [0, '84246eba9518c91a'];
    expect([migrations.at(-1)?.version ?? 0, hash.slice(0, 16)]).toEqual(recorded);
  });

  it('changes the expiry of a TTL index without a rebuild', async () => {
    const [name, expireAfterSeconds] = ['webhookStatistics', 45 * 86_400];
    await service.db.command({ collMod: name, index: { name: 'expiry', expireAfterSeconds: 60 } });
    const statistics = service.service.app.get<Model<unknown>>(getModelToken('WebhookStatistics'));
    const building = jest.spyOn(statistics.collection, 'createIndexes');
    const stateOf = async () =>
      (await structure.status()).retention.find(({ collection }) => collection === name);
    expect(await stateOf()).toMatchObject({ kind: 'webhook statistics', isCurrent: false });
    expect(await isComplete()).toBe(true);
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
  const emails = { organizationId: 1, email: 1 };
  const phones = { organizationId: 1, phoneNumbers: 1 };
  const partialFilterExpression = { at: { $gt: new Date(0) } };
  const expiry = { name: 'expiry', key: { at: 1 }, expireAfterSeconds: 3_888_000 };
  it.each<[string, string, IndexDescription]>([
    ['leads', 'no uniqueness', { name: 'leadId', key: { organizationId: 1, leadId: 1 } }],
    ['webhookStatistics', 'another key', { ...expiry, key: { at: -1 } }],
    ['webhookStatistics', 'a filter', { ...expiry, partialFilterExpression }],
    ['webhookStatistics', 'no expiry', { name: 'expiry', key: { at: 1 }, unique: true }],
    ['clients', 'no collation', { name: 'email', key: emails, collation: { locale: 'simple' } }],
    ['clients', 'a collation', { name: 'byPhone', key: phones, collation }],
    [
      'clients',
      'another order',
      { name: 'email', key: { email: 1, organizationId: 1 }, collation },
    ],
  ])('replaces an index of %s that has %s, and keeps indexes of other programs', async (...row) => {
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
    const applyByAll = () => Promise.all(range(3).map(() => structure.apply()));
    const leads = service.db.collection('leads');
    await service.db.dropDatabase();
    await applyByAll();
    expect(await isComplete()).toBe(true);
    for (let round = 0; round < rounds(1, 5); round += 1) {
      // One of the processes has to replace this outdated index.
      await leads.dropIndex('leadId');
      await leads.createIndexes([{ key: { organizationId: 1, leadId: 1 }, name: 'leadId' }]);
      await applyByAll();
      expect(await isComplete()).toBe(true);
    }
  });

  it('has the organization first in every tenant index', async () => {
    const exceptions =
      'withoutPhoneKeys changedElsewhere phoneRule expiry unnumbered numberedExpiry hash byOrigin byRequestId queue due'.split(
        ' ',
      );
    const global = ['organizations', 'migrations', 'leases', 'usage', 'keyActivity'];
    for (const { name } of await service.db.listCollections().toArray()) {
      if (global.includes(name)) continue;
      for (const { name: index = '', key } of await service.db.collection(name).indexes()) {
        if (index === '_id_' || exceptions.includes(index)) continue;
        expect([name, index, Object.keys(key)[0]]).toEqual([name, index, 'organizationId']);
      }
    }
  });
});

describe('a unique index', () => {
  it.each<[string, Document]>([
    ['leads', { recordSystemId: 'x' }],
    ['leads', { leadId: 1 }],
    ['leads', { leadId: 1, isDeleted: true }],
    ['compounds', { slug: 'x' }],
    ['units', { slug: 'x' }],
    ['units', { recordSystemId: 'x' }],
    ['units', { compoundId: new ObjectId(), unitId: 'x' }],
    ['apiKeys', { hash: 'x' }],
  ])('of %s refuses a second %p from any program', async (name, fields) => {
    const document = newDocument(fields);
    const collection = service.db.collection(name);
    const insert = (_id: ObjectId, change = {}) =>
      collection.insertOne({ ...document, _id, ...change });
    await insert(new ObjectId());
    await expect(insert(new ObjectId())).rejects.toMatchObject({ code: 11_000 });
    if (!('hash' in fields)) await insert(new ObjectId(), { organizationId: new ObjectId() });
  });

  it.each(['leads', 'compounds', 'units'])(
    'of %s ignores deleted documents and missing ids',
    async (name) => {
      const { organizationId } = newDocument();
      const deleted = { recordSystemId: 'x', slug: 'x', isDeleted: true };
      const documents = [deleted, deleted, {}, {}].map((fields) => ({
        ...conventions(organizationId),
        ...fields,
      }));
      const { insertedCount } = await service.db.collection(name).insertMany(documents);
      expect(insertedCount).toBe(4);
    },
  );
});

describe('the validators', () => {
  it.each<[string, Document]>([
    ['leads', {}],
    ['leads', { leadId: 7n, clientId: null, ours: { x: 1 } }],
    ['units', { price: 1.5, unitDesignId: null }],
    ['users', { name: 'Hany', isDeleted: undefined }],
  ])('accept unknown fields, other numeric types and null: %s %p', async (name, fields) => {
    const insertion = service.db.collection(name).insertOne(newDocument(fields));
    await expect(insertion).resolves.toMatchObject({ acknowledged: true });
  });

  it.each<[string, Document]>([
    ['leads', { data: 'text' }],
    ['leads', { compoundsIds: ['6740b1f2c3d4e5f607182930'] }],
    ['compounds', { name: { 'en-us': 7 } }],
  ])('reject %s with %p', async (name, fields) => {
    const insertion = service.db.collection(name).insertOne(newDocument(fields));
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
  /** The number after those of the service's own migrations. */
  let version = 1;
  let ownMigrations: object[] = [];

  beforeAll(async () => {
    const { migrations } = await structure.status();
    ownMigrations = migrations;
    version = (migrations.at(-1)?.version ?? 0) + 1;
    upgraded = await startTestService({}, service.databaseUri);
    upgraded.service.app.get(Migrations).register({
      version,
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
    await service.db.collection('migrations').deleteMany({ version });
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
      migrations: [...ownMigrations, { version, name: 'three batches', state: 'interrupted' }],
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
    expect(await service.db.collection('migrations').countDocuments()).toBe(
      ownMigrations.length + 1,
    );
    expect(new Set(seen)).toEqual(new Set([null, ...hex]));
    expect(await upgrade().status()).toMatchObject({ isComplete: true });
  });

  it('refuses a second migration with the same version', () => {
    const second = { version, name: 'another branch', runBatch: async () => null };
    expect(() => upgraded.service.app.get(Migrations).register(second)).toThrow(
      `The migrations "three batches" and "another branch" both have version ${version}: ` +
        `give the later one version ${version + 1}.`,
    );
  });
});

describe('the background job for phones', () => {
  const leads = () => service.db.collection('leads');
  const passOf = (one: TestService) => one.service.app.get(LeadPhoneKeys).run();
  const pass = () => passOf(service);
  const setClock = (one: TestService, passedMs: number) => {
    one.service.app.get(Clock).now = () => new Date(Date.now() + passedMs);
  };
  const data = { phoneNumber: '(+20) 100.123.4567' };
  const phoneKeys = ['+201001234567'];

  beforeAll(async () => {
    // The instance of the tests above may have held the lease, so this one gets it some seconds later.
    const tenant = await service.addTenant();
    await tenant.add(addLead, { data: { phoneNumber: '01005554443' } });
    await eventually(async () => {
      await pass();
      expect(await tenant.storedOne('leads')).toHaveProperty('phoneKeys');
    });
  });
  afterEach(() => setClock(service, 0));

  it('adds comparison keys to leads that are older than the service', async () => {
    const tenant = await service.addTenant({ settings: { phoneCountry: 'SA' } });
    const numbers = range(1_203).map((index) => 500_000_000 + index);
    for (const number of numbers.slice(0, 2)) {
      await tenant.add(addLead, { data: { phoneNumber: `0${number}` } });
    }
    const longAgo = new Date('2025-01-01');
    const times = { createdAt: longAgo, updatedAt: longAgo };
    const older = numbers.slice(2).map((number) => ({
      ...conventions(tenant.organizationId),
      leadId: number,
      data: { phoneNumber2: number },
      ...times,
    }));
    await leads().insertMany(older);
    await pass();
    const keys = (await tenant.stored('leads')).flatMap((lead) => lead['phoneKeys'] as string[]);
    expect(keys.toSorted()).toEqual(numbers.map((number) => `+966${number}`));
  });

  it('logs an organization with an invalid country once', async () => {
    const { organizationId } = await service.addTenant({ settings: { phoneCountry: 'UK' } });
    const lowerCase = await service.addTenant({ settings: { phoneCountry: 'eg' } });
    await pass();
    await pass();
    const reports = logLinesWith(service.logged(), String(organizationId));
    const unknown = reports.filter(({ msg }) => msg.startsWith('Unknown phone country'));
    expect(unknown).toEqual([expect.objectContaining({ stored: 'UK', used: 'EG' })]);
    expect(service.logged()).not.toContain(String(lowerCase.organizationId));
  });

  it('continues after an invalid lead and logs it once', async () => {
    const unusable = newDocument({ data, organizationId: 'Nile Homes' });
    const odd = { assignedToId: 'Mona', clientId: 'crm-17', phoneKeysOf: '0 EG' };
    const broken = newDocument({ data, ...odd });
    const untimed = newDocument({ data, updatedAt: 'yesterday', phoneKeysOf: '0 EG' });
    const bypassed = { bypassDocumentValidation: true };
    await leads().insertMany([unusable, untimed, broken], bypassed);
    const nameless = { _id: 'Nile Homes', isDeleted: false, updatedAt: new Date() } as Document;
    await service.db.collection('organizations').insertOne(nameless, bypassed);
    const tenant = await service.addTenant();
    const good = await tenant.add(addLead, { data });
    await pass();
    const ids = [unusable._id, untimed._id, broken._id, good];
    const derived = await leads().distinct('_id', { _id: { $in: ids }, phoneKeys });
    expect(derived).toEqual([broken._id, good]);
    await service.db
      .collection('organizations')
      .deleteOne({ _id: 'Nile Homes' as unknown as ObjectId });
    const failures = logLinesWith(service.logged(), 'Could not compute the phone keys of a lead');
    const reported = failures.map((line) => JSON.stringify(line)).join();
    expect(failures).toHaveLength(2);
    for (const { _id } of [unusable, untimed]) expect(reported).toContain(String(_id));
    await leads().deleteMany({});
  });

  it('recomputes keys when any program changes the country', async () => {
    const tenant = await service.addTenant();
    const longAgo = new Date(Date.now() - 3_600_000);
    const phone = { data: { phoneNumber: '050 123 4567' } };
    await tenant.add(addLead, { ...phone, createdAt: longAgo, updatedAt: longAgo });
    const keys = async () => {
      await pass();
      return (await tenant.storedOne('leads'))['phoneKeys'];
    };
    expect(await keys()).toEqual(['+20501234567']);
    const $set = { 'settings.phoneCountry': 'SA', updatedAt: new Date() };
    await service.db
      .collection('organizations')
      .updateOne({ _id: tenant.organizationId }, { $set });
    expect(await keys()).toEqual(['+966501234567']);
    // This lead was stored after the job by a request that had read the previous country seconds earlier.
    const updatedAt = new Date();
    const late = { phoneKeys: ['+20501234567'], phoneKeysOf: '[3,"EG","050 123 4567"]' };
    await tenant.set('leads', {}, { ...late, phoneKeysAt: updatedAt, updatedAt });
    expect(await keys()).toEqual(['+966501234567']);
  });

  it('reads only leads of other programs, each one once', async () => {
    const tenant = await service.addTenant();
    // The job reads all leads of a recently changed organization, because its country may have changed.
    const $set = { updatedAt: new Date(Date.now() - 3_600_000) };
    await service.db.collection('organizations').updateMany({}, { $set });
    await pass();
    const metrics = service.service.app.get(Metrics);
    const read = async () => (await valueIn(metrics, 'phone_key_leads_total')) ?? 0;
    const readBefore = await read();
    const foreign = await tenant.add(addLead, { data });
    for (const number of range(30)) {
      const recordSystemId = `own-${number % 20}`;
      await tenant.post('/leads', { recordSystemId, phoneNumber: `01009${1e6 + number}` });
    }
    await service.db.command({ profile: 2 });
    await pass();
    await leads().findOne({ _id: foreign });
    await pass();
    await service.db.command({ profile: 0 });
    const ns = `${service.db.databaseName}.leads`;
    const profile = service.db.collection('system.profile');
    const reads = await profile.find({ ns, op: { $in: ['query', 'command'] } }).toArray();
    const examined = reads.reduce((sum, { docsExamined = 0 }) => sum + Number(docsExamined), 0);
    // One read is the test's own. The job reads the lead of the index entry, then its phones.
    expect(examined).toBeLessThanOrEqual(3);
    expect(reads.every(({ planSummary }) => planSummary !== 'COLLSCAN')).toBe(true);
    expect(await read()).toBe(readBefore + 1);
    const { updatedAt, ...lead } = await tenant.storedOne('leads', { _id: foreign });
    expect(lead).toMatchObject({ phoneKeys, phoneKeysAt: updatedAt });
  });

  it('marks a lead without phoneKeysAt and keeps its keys', async () => {
    const tenant = await service.addTenant();
    const derived = { phoneKeys: ['as it is'], phoneKeysOf: '[3,"EG","01001234567"]' };
    await tenant.add(addLead, { data: { phoneNumber: '01001234567' }, ...derived });
    await pass();
    const { updatedAt, ...lead } = await tenant.storedOne('leads');
    expect(lead).toMatchObject({ ...derived, phoneKeysAt: updatedAt });
  });

  it('finds a lead that is committed 100 seconds after its updatedAt', async () => {
    await pass();
    const tenant = await service.addTenant();
    const updatedAt = new Date(Date.now() - 100_000);
    await tenant.add(addLead, { data, updatedAt, phoneKeys: [], phoneKeysOf: '[3,"EG"]' });
    setClock(service, 60_000);
    await pass();
    expect(await tenant.storedOne('leads')).toMatchObject({ phoneKeys });
  });

  it('runs in one instance, and in another one when the first is killed', async () => {
    const other = await startTestService({}, service.databaseUri);
    const leases = service.db.collection('leases');
    const ownerAfterPassOf = async (one: TestService) => {
      await passOf(one);
      return (await leases.findOne({ name: 'lead-phone-keys' }))?.['owner'];
    };
    const first = await ownerAfterPassOf(service);
    expect(await ownerAfterPassOf(other)).toBe(first);
    // The lease expires as if the first instance had not renewed it.
    await leases.updateOne({ name: 'lead-phone-keys' }, { $set: { until: new Date() } });
    setClock(other, 20_000);
    const second = await ownerAfterPassOf(other);
    expect(second).not.toBe(first);
    const tenant = await service.addTenant();
    await tenant.add(addLead, { data });
    setClock(service, 10_000);
    await pass();
    expect(await ownerAfterPassOf(other)).toBe(second);
    expect(await tenant.storedOne('leads')).toMatchObject({ phoneKeys });
    // An instance releases its lease when it stops.
    await other.stop();
    setClock(service, 20_000);
    expect(await ownerAfterPassOf(service)).toBe(first);
  });
});
