import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { getConnectionToken, getModelToken } from '@nestjs/mongoose';
import { type Collection, type Document, type IndexDescription, ObjectId } from 'mongodb';
import { type Connection, type Model, Types } from 'mongoose';
import { DatabaseStructure } from '../../src/core/database/structure/database-structure.js';
import { documentValidator } from '../../src/core/database/structure/document-validator.js';
import { Migrations } from '../../src/core/database/structure/migrations.js';
import { Clock } from '../../src/core/configuration/clock.js';
import { LeadPhoneKeys } from '../../src/leads/phones/lead-phone-keys.js';
import { addLead, addTenant } from '../support/builders.js';
import { rounds } from '../support/rounds.js';
import { randomDatabaseUri, startTestService, type TestService } from '../support/test-service.js';

let service: TestService;
let structure: DatabaseStructure;

beforeAll(async () => {
  service = await startTestService({ RESPONSE_CACHE_BYTES: '0' }, randomDatabaseUri());
  structure = service.service.app.get(DatabaseStructure);
});
afterAll(() => service.stop());

const conventions = () => ({
  organizationId: new ObjectId(),
  isDeleted: false,
  createdAt: new Date(),
  updatedAt: new Date(),
});

describe('the structure of the database', () => {
  it('is complete after a start, and lists what is missing otherwise', async () => {
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

  it('is not missed by old instances from the moment on at which a new version prepares it', async () => {
    const migrations = service.db.collection('migrations');
    const [newest] = await migrations.find().sort({ version: -1 }).limit(1).toArray();
    await migrations.deleteOne({ version: newest?.['version'] });
    await service.db.collection('leads').dropIndex('phoneKeys');
    const leads = service.service.app.get<Model<unknown>>(getModelToken('Lead'));
    const building = jest.spyOn(leads.collection, 'createIndexes');
    building.mockRejectedValueOnce(new Error('The database is gone.'));
    await expect(structure.apply()).rejects.toThrow('gone');
    // The first that it does, so that nothing is changed before.
    expect(await migrations.findOne({ version: newest?.['version'] })).toMatchObject({
      finishedAt: null,
    });
    expect(await structure.status()).toMatchObject({ isComplete: false, isOfNewerVersion: false });
    await migrations.insertOne({
      version: 9_999,
      name: 'of a newer version',
      startedAt: new Date(),
    });
    expect(await structure.status()).toMatchObject({ isComplete: true, isOfNewerVersion: true });
    await migrations.deleteOne({ version: 9_999 });
    await structure.apply();
    expect(await structure.status()).toMatchObject({ isComplete: true, isOfNewerVersion: false });
  });

  it('waits for an index that another process builds before it changes the collection', async () => {
    await service.db.command({ collMod: 'clients', validator: {} });
    const namespace = `${service.db.databaseName}.clients`;
    const data = { failCommands: ['collMod'], namespace, errorCode: 12_587 };
    const failPoint = { configureFailPoint: 'failCommand', mode: { times: 1 }, data };
    await service.db.admin().command(failPoint);
    await structure.apply();
    expect((await structure.status()).isComplete).toBe(true);
  });

  it('is another one in a new version only with a new migration, which tells old instances of it', () => {
    const { models } = service.service.app.get<Connection>(getConnectionToken());
    const declared = Object.values(models).map(({ collection, schema }) => [
      collection.collectionName,
      documentValidator(schema),
      schema.indexes(),
    ]);
    const hash = createHash('sha256').update(JSON.stringify(declared.toSorted())).digest('hex');
    const migrations = service.service.app.get(Migrations)['registered'];
    // When this fails, register the next migration, an empty one where nothing stored changes, and note both.
    expect([migrations.at(-1)?.version, hash.slice(0, 16)]).toEqual([11, 'f7f8d28ff65cb4ec']);
  });

  it('replaces indexes that differ and does not touch those of other programs', async () => {
    const leads = service.db.collection('leads');
    await leads.dropIndex('leadId');
    await leads.createIndexes([
      { key: { organizationId: 1, leadId: 1 }, name: 'leadId' },
      { key: { 'data.budget': 1 }, name: 'reports' },
    ]);
    await structure.apply();
    const indexes = await leads.indexes();
    expect(indexes.find(({ name }) => name === 'leadId')).toMatchObject({ unique: true });
    expect(indexes.map(({ name }) => name)).toContain('reports');
  });

  it('can be applied by several processes at the same time', async () => {
    await service.db.dropDatabase();
    await Promise.all([structure.apply(), structure.apply(), structure.apply()]);
    expect((await structure.status()).isComplete).toBe(true);
  });

  it('replaces one outdated index in several processes at the same time', async () => {
    const leads = service.db.collection('leads');
    for (let round = 0; round < rounds(1, 5); round += 1) {
      await leads.dropIndex('leadId');
      await leads.createIndexes([{ key: { organizationId: 1, leadId: 1 }, name: 'leadId' }]);
      await Promise.all([structure.apply(), structure.apply(), structure.apply()]);
      expect((await structure.status()).isComplete).toBe(true);
    }
  });

  it('leads every tenant index with the organization', async () => {
    const exceptions = [
      'withoutPhoneKeys',
      'changedElsewhere',
      'expiry',
      'unnumbered',
      'numberedExpiry',
      'finishedExpiry',
      'hash',
      'queue',
      'due',
    ];
    const global = [
      'organizations',
      'migrations',
      'watermarks',
      'duties',
      'developmentKeys',
      'callFigures',
    ];
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

describe('uniqueness that the database enforces', () => {
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

  it.each(duplicates)(
    'of %s with %p holds for writers that are not this service',
    async (name, fields) => {
      const document = { ...conventions(), ...fields };
      const collection = service.db.collection(name);
      await collection.insertOne({ ...document });
      await expect(collection.insertOne({ ...document })).rejects.toMatchObject({ code: 11_000 });
      if (!('hash' in fields))
        await collection.insertOne({ ...document, organizationId: new ObjectId() });
    },
  );

  it.each(['leads', 'compounds', 'units'])(
    'of %s does not count deleted or bare documents',
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

describe('validators', () => {
  it('accept what has the conventions, other fields, other numeric types and nulls', async () => {
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
    ['leads', { organizationId: '6740b1f2c3d4e5f607182930' }],
    ['leads', { isDeleted: 'no' }],
    ['clients', { phoneNumbers: [1] }],
    ['compounds', { name: { 'en-us': 7 } }],
    ['units', { price: '7' }],
  ])('reject %s with %p', async (name, fields) => {
    const insertion = service.db.collection(name).insertOne({ ...conventions(), ...fields });
    await expect(insertion).rejects.toMatchObject({ code: 121 });
  });
});

describe('migrations', () => {
  it('run once, in batches, and continue where an interrupted one stopped', async () => {
    const migrations = service.service.app.get(Migrations);
    const ids = Array.from({ length: 3 }, () => new Types.ObjectId());
    const seen: (string | null)[] = [];
    let isBroken = true;
    migrations.register({
      version: 1_000,
      name: 'three batches',
      runBatch: async (after) => {
        seen.push(after?.toHexString() ?? null);
        const next = ids[seen.length - 1 - (isBroken ? 0 : 1)] ?? null;
        if (isBroken && seen.length === 3) throw new Error('interrupted');
        return next;
      },
    });
    await expect(structure.apply()).rejects.toThrow('interrupted');
    expect((await migrations.status()).migrations.at(-1)).toMatchObject({ state: 'interrupted' });
    expect((await structure.status()).isComplete).toBe(false);
    isBroken = false;
    expect(await structure.apply()).toEqual(['three batches']);
    const hex = ids.map((id) => id.toHexString());
    expect(seen).toEqual([null, hex[0], hex[1], hex[1], hex[2]]);
    expect(await structure.apply()).toEqual([]);
    expect(seen).toHaveLength(5);
  });

  it('give leads that were there before their comparison keys', async () => {
    const { organizationId } = await addTenant(service.db, { settings: { phoneCountry: 'SA' } });
    const numbers = Array.from({ length: 1_203 }, (_, index) => 500_000_000 + index);
    for (const number of [numbers[0], numbers[1]]) {
      await addLead(service.db, organizationId, { data: { phoneNumber: `0${number}` } });
    }
    const now = new Date();
    await service.db.collection('leads').insertMany(
      numbers.slice(2).map((number) => ({
        organizationId,
        leadId: number,
        data: { phoneNumber2: number },
        isDeleted: false,
        createdAt: now,
        updatedAt: now,
      })),
    );
    await service.db.collection('migrations').deleteMany({});
    await structure.apply();
    const leads = await service.db.collection('leads').find({ organizationId }).toArray();
    expect(leads.flatMap((lead) => lead['phoneKeys'] as string[]).toSorted()).toEqual(
      numbers.map((number) => `+966${number}`),
    );
  });
});

describe('a database of the version before', () => {
  it('gets comparison keys where the phone country was not understood', async () => {
    const organizations = service.db.collection('organizations');
    const leads = service.db.collection('leads');
    const addOrganization = async (phoneCountry: string, phoneKey: string) => {
      const { organizationId } = await addTenant(service.db, { settings: { phoneCountry } });
      const data = { phoneNumber: '010 0123 4567' };
      const phoneKeysOf = JSON.stringify([phoneCountry, data.phoneNumber]);
      await addLead(service.db, organizationId, { data, phoneKeys: [phoneKey], phoneKeysOf });
      return organizationId;
    };
    const ids = [
      await addOrganization('eg', '01001234567'),
      await addOrganization('UK', '01001234567'),
      await addOrganization('EG', 'as it is'),
    ];
    const storedKeys = () =>
      Promise.all(
        ids.map(async (id) => (await leads.findOne({ organizationId: id }))?.['phoneKeys']),
      );
    const countries = () =>
      Promise.all(ids.map(async (_id) => (await organizations.findOne({ _id }))?.['settings']));
    await service.db.collection('migrations').deleteOne({ version: 2 });
    expect((await structure.status()).isComplete).toBe(false);
    expect(await structure.apply()).toEqual([expect.stringContaining('country')]);
    expect(await storedKeys()).toEqual([['+201001234567'], ['+201001234567'], ['as it is']]);
    expect(await countries()).toEqual([
      { phoneCountry: 'EG' },
      { phoneCountry: 'UK' },
      { phoneCountry: 'EG' },
    ]);
    expect(await structure.apply()).toEqual([]);
  });

  it.each([
    ['clients', 'byEmail', 'email', { email: 'a' }],
    ['compounds', 'name-en-us', 'named-en-us', { name: { 'en-us': 'a' } }],
  ])('keeps the index of %s that its instances use (%s)', async (name, before, now, fields) => {
    const collection = service.db.collection(name);
    const field = name === 'clients' ? 'email' : 'name.en-us';
    const organizationId = new ObjectId();
    const others = Array.from({ length: 20 }, () => ({ ...conventions(), organizationId }));
    await collection.insertMany([...others, { ...conventions(), organizationId, ...fields }]);
    await collection.dropIndex(now);
    const options = {
      collation: { locale: 'en', strength: 2 },
      partialFilterExpression: { isDeleted: false },
    };
    await collection.createIndexes([
      { key: { organizationId: 1, [field]: 1 }, name: before, ...options },
    ]);
    await structure.apply();
    expect((await structure.status()).isComplete).toBe(true);
    const filter = { organizationId, isDeleted: false, [field]: { $in: ['a', 'A'] } };
    for (const [strength, index] of [
      [2, before],
      [1, now],
    ] as const) {
      const cursor = collection.find(filter, { collation: { locale: 'en', strength } });
      const plan = JSON.stringify((await cursor.explain())['queryPlanner'].winningPlan);
      expect(plan).toContain(`"indexName":"${index}"`);
    }
    await collection.dropIndex(before);
  });
});

describe('an index that was replaced', () => {
  it('goes, and its queries by instances of the version before are served by the new one', async () => {
    const leads = service.db.collection('leads');
    const isDeleted = { partialFilterExpression: { isDeleted: false } };
    await leads.createIndexes([{ key: { updatedAt: 1 }, name: 'recentlyUpdated', ...isDeleted }]);
    await service.db.collection('migrations').deleteOne({ version: 7 });
    expect(await structure.apply()).toEqual([expect.stringContaining('index of leads')]);
    expect((await leads.indexes()).map(({ name }) => name)).not.toContain('recentlyUpdated');
    const before = { isDeleted: false, updatedAt: { $gte: new Date() } };
    const plan = await leads.find(before).sort({ updatedAt: 1 }).explain();
    expect(JSON.stringify(plan['queryPlanner'].winningPlan)).toContain('changedElsewhere');
  });

  it('of events and deliveries goes; what the version before left is found and still expires', async () => {
    const events = service.db.collection('outboxEvents');
    const deliveries = service.db.collection('webhookDeliveries');
    const days = 30 * 86_400;
    await events.createIndexes([
      { key: { relayedAt: 1, createdAt: 1 }, name: 'waiting' },
      { key: { relayedAt: 1 }, name: 'expiry', expireAfterSeconds: days },
      { key: { expiresAt: 1 }, name: 'unheardExpiry', expireAfterSeconds: 0 },
    ]);
    await deliveries.createIndexes([
      { key: { completedAt: 1 }, name: 'expiry', expireAfterSeconds: days },
    ]);
    await service.db.collection('migrations').deleteOne({ version: 9 });
    const namesOf = async (collection: Collection) =>
      (await collection.indexes()).map(({ name }) => name);
    expect(await structure.apply()).toEqual(['partial indexes of events and deliveries']);
    const names = [...(await namesOf(events)), ...(await namesOf(deliveries))];
    for (const name of ['waiting', 'expiry', 'unheardExpiry']) expect(names).not.toContain(name);
    // As the server looks for what has expired.
    const limits = { $gte: new Date(0), $lte: new Date() };
    const expired = deliveries.find({ completedAt: limits }).hint('finishedExpiry');
    expect(await planOf(expired)).toContain('finishedExpiry');
  });

  it('of events that had no numbers goes, but for that by which instances of that version relay', async () => {
    const events = service.db.collection('outboxEvents');
    const notRelayed = { partialFilterExpression: { relayedAt: null } };
    await events.createIndexes([
      { key: { createdAt: 1 }, name: 'unrelayed', ...notRelayed },
      { key: { relayedAt: 1 }, name: 'relayedExpiry', expireAfterSeconds: 2_592_000 },
      { key: { expiresAt: 1 }, name: 'earlyExpiry', expireAfterSeconds: 0 },
    ]);
    await service.db.collection('migrations').deleteOne({ version: 10 });
    expect(await structure.apply()).toEqual(['events are kept until they are numbered']);
    const names = (await events.indexes()).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['unrelayed', 'unnumbered', 'numberedExpiry']));
    for (const name of ['relayedExpiry', 'earlyExpiry']) expect(names).not.toContain(name);
    const before = events.find({ relayedAt: null }).sort({ createdAt: 1 });
    expect(await planOf(before)).toContain('"indexName":"unrelayed"');
    await events.dropIndex('unrelayed');
    const unnumbered = events.find({ sequence: null }).sort({ storedAt: 1 });
    expect(await planOf(unnumbered)).toContain('"indexName":"unnumbered"');
  });
});

async function planOf(cursor: { explain(): Promise<Document> }): Promise<string> {
  return JSON.stringify((await cursor.explain())['queryPlanner'].winningPlan);
}

describe('a catalogue of the version before', () => {
  const collections = [
    'amenities',
    'compounds',
    'phases',
    'propertyTypes',
    'unitDesigns',
    'units',
  ] as const;
  const newestFirst = { createdAt: -1, _id: -1 } as const;
  const ofNotDeleted = { partialFilterExpression: { isDeleted: false } };
  const changes: IndexDescription = {
    key: { organizationId: 1, updatedAt: 1, _id: 1 },
    name: 'changes',
  };
  const newest: IndexDescription = {
    key: { organizationId: 1, ...newestFirst },
    name: 'newest',
    ...ofNotDeleted,
  };
  /** What that version had instead of today's indexes. */
  const before: Readonly<Record<string, readonly IndexDescription[]>> = {
    compounds: [newest],
    units: [
      newest,
      {
        key: { organizationId: 1, compoundId: 1, ...newestFirst },
        name: 'newestOfCompound',
        ...ofNotDeleted,
      },
      { key: { organizationId: 1, unitId: 1 }, name: 'unitIdAlone', ...ofNotDeleted },
    ],
  };
  const isOfToday = (name = '') => name === 'byUpdate' || name.startsWith('by-');
  const namesOf = async (collection: string) =>
    (await service.db.collection(collection).indexes()).map(({ name }) => name ?? '');

  /** Leaves the indexes as they were, and says which ones are missing then. */
  async function restore(): Promise<Map<string, string[]>> {
    const missing = new Map<string, string[]>();
    for (const name of collections) {
      const collection = service.db.collection(name);
      const indexes = (await namesOf(name)).filter(isOfToday);
      for (const index of indexes) await collection.dropIndex(index);
      await collection.createIndexes([changes, ...(before[name] ?? [])]);
      missing.set(name, indexes);
    }
    await service.db.collection('migrations').deleteOne({ version: 8 });
    return missing;
  }

  it.each(['as a whole', 'after an interruption'])('gets the new indexes %s', async (way) => {
    const tenant = await addTenant(service.db);
    const { organizationId } = tenant;
    const compoundId = new ObjectId();
    const units = Array.from({ length: 300 }, (_, index) => ({
      ...conventions(),
      organizationId: index < 30 ? organizationId : new ObjectId(),
      compoundId,
      unitId: `U-${index}`,
      slug: `migrated-${index}`,
      price: 30 - index,
      createdAt: new Date(Date.UTC(2026, 0, 1) + index),
    }));
    await service.db.collection('units').insertMany(units);
    const missing = await restore();
    expect((await structure.status()).isComplete).toBe(false);
    const pages = () =>
      Promise.all(
        ['sort=price', 'sort=-createdAt,unitId', 'unitId=U-7', 'after=0'].map(async (query) => {
          const { body } = await service
            .api('get', `/units?limit=25&${query}`)
            .set({ 'api-key': tenant.key, 'cache-control': 'no-cache' })
            .expect(200);
          return body.data.map(({ unitId }: Document) => unitId);
        }),
      );
    const shownBefore = await pages();
    expect(shownBefore[2]).toEqual(['U-7']);
    if (way === 'after an interruption') {
      const unfinished = { version: 8, startedAt: new Date(), finishedAt: null, resumeAfter: null };
      await service.db.collection('migrations').insertOne({ name: 'replaced', ...unfinished });
      await service.db.collection('units').dropIndex('newest');
      await service.db.collection('compounds').dropIndex('changes');
    }
    expect(await structure.apply()).toEqual(['replaced indexes of the catalogue']);
    expect((await structure.status()).isComplete).toBe(true);
    for (const name of collections) {
      const names = await namesOf(name);
      expect(names).toEqual(expect.arrayContaining(missing.get(name) ?? []));
      for (const index of [changes, ...(before[name] ?? [])])
        expect(names).not.toContain(index.name);
    }
    expect(await pages()).toEqual(shownBefore);
    expect(await structure.apply()).toEqual([]);
    // Instances of the version before run on until they are replaced, too.
    const scoped = { organizationId, isDeleted: false };
    const queries: [filter: Document, sort: Document][] = [
      [scoped, newestFirst],
      [{ ...scoped, compoundId }, newestFirst],
      [{ ...scoped, unitId: 'U-7' }, {}],
      [
        { organizationId, updatedAt: { $gte: new Date() } },
        { updatedAt: 1, _id: 1 },
      ],
    ];
    for (const [filter, sort] of queries) {
      const cursor = service.db.collection('units').find(filter, { sort });
      const plan = await cursor.explain('executionStats');
      const { totalDocsExamined } = plan['executionStats'];
      expect({ filter, isBounded: totalDocsExamined <= 30 }).toEqual({ filter, isBounded: true });
      expect(JSON.stringify(plan['queryPlanner'].winningPlan)).not.toMatch(/COLLSCAN|"SORT"/);
    }
    await service.db.collection('units').deleteMany({ compoundId });
  });
});

describe('the background pass', () => {
  it('says once which organization has no country that is one', async () => {
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
          (line) => line.includes('country is unknown') && line.includes(String(organizationId)),
        );
    await pass.run();
    await pass.run();
    expect(reports()).toEqual([expect.stringContaining('"stored":"UK","used":"EG"')]);
    expect(service.logged()).not.toContain(String(lowerCase));
  });

  it('continues after a lead that cannot be used, and logs it once', async () => {
    const { organizationId } = await addTenant(service.db);
    const data = { phoneNumber: '01001234567' };
    const broken = { ...conventions(), data, assignedToId: 'Mona' };
    const unusable = { ...conventions(), data, organizationId: 'Nile Homes' };
    const { insertedIds } = await service.db
      .collection('leads')
      .insertMany([unusable, broken], { bypassDocumentValidation: true });
    const good = await addLead(service.db, organizationId, { data });
    await service.db.collection('migrations').deleteMany({});
    await structure.apply();
    const pass = service.service.app.get(LeadPhoneKeys);
    await pass.run();
    const leads = service.db.collection('leads').find({ 'data.phoneNumber': data.phoneNumber });
    const derived = (await leads.toArray()).filter(({ phoneKeys }) => phoneKeys !== undefined);
    expect(derived.map(({ _id }) => _id)).toEqual([insertedIds[1], good]);
    const logged = service.logged().match(/.*The phones of a lead could not be derived/g) ?? [];
    expect(logged).toEqual([expect.stringContaining(String(insertedIds[0]))]);
    await service.db.collection('leads').deleteMany({});
  });

  it('follows the country of an organization, whichever program changed it', async () => {
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

  it('does not touch what it has derived already', async () => {
    const { organizationId } = await addTenant(service.db);
    await addLead(service.db, organizationId, { data: { phoneNumber: '01001234567' } });
    const pass = service.service.app.get(LeadPhoneKeys);
    await pass.run();
    const before = await service.db.collection('leads').findOne({ organizationId });
    expect(before).toMatchObject({ phoneKeys: ['+201001234567'] });
    await pass.run();
    expect(await service.db.collection('leads').findOne({ organizationId })).toEqual(before);
  });

  it('reads no lead that this service wrote, and each of another program once', async () => {
    const tenant = await addTenant(service.db);
    // The leads of an organization that has just changed are looked through for their country.
    const $set = { updatedAt: new Date(Date.now() - 3_600_000) };
    await service.db.collection('organizations').updateMany({}, { $set });
    const pass = service.service.app.get(LeadPhoneKeys);
    await pass.run();
    const readBefore = pass.stats().leads;
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
    // This test's own look, and at most once by a pass, which may have come before.
    expect(examined).toBeLessThanOrEqual(2);
    expect(reads.every(({ planSummary }) => planSummary !== 'COLLSCAN')).toBe(true);
    expect(pass.stats().leads - readBefore).toBe(1);
    const lead = await service.db.collection('leads').findOne({ _id: foreign });
    expect(lead).toMatchObject({ phoneKeys: ['+201009990000'], phoneKeysAt: lead?.['updatedAt'] });
  });

  it('looks once more at a lead of an instance of the version before, and leaves its keys', async () => {
    const { organizationId } = await addTenant(service.db);
    const data = { phoneNumber: '01001234567' };
    const derived = { phoneKeys: ['as it is'], phoneKeysOf: '["EG","01001234567"]' };
    const _id = await addLead(service.db, organizationId, { data, ...derived });
    const pass = service.service.app.get(LeadPhoneKeys);
    await pass.run();
    const lead = await service.db.collection('leads').findOne({ _id });
    expect(lead).toMatchObject({ ...derived, phoneKeysAt: lead?.['updatedAt'] });
  });

  it('finds within a minute what was committed late', async () => {
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

  it('is run by one instance, and by another one when that has died', async () => {
    const other = await startTestService({}, service.databaseUri);
    const [pass, otherPass] = [service, other].map((one) => one.service.app.get(LeadPhoneKeys));
    await pass?.run();
    await otherPass?.run();
    expect([pass, otherPass].map((one) => one?.stats().isOwner)).toEqual([true, false]);
    // Nothing was heard of the first one for so long.
    other.service.app.get(Clock).now = () => new Date(Date.now() + 20_000);
    await otherPass?.run();
    expect(otherPass?.stats().isOwner).toBe(true);
    const { organizationId } = await addTenant(service.db);
    const data = { phoneNumber: '(+20) 100.123.4567' };
    const _id = await addLead(service.db, organizationId, { data });
    service.service.app.get(Clock).now = () => new Date(Date.now() + 10_000);
    await pass?.run();
    await otherPass?.run();
    expect([pass, otherPass].map((one) => one?.stats().isOwner)).toEqual([false, true]);
    const lead = await service.db.collection('leads').findOne({ _id });
    expect(lead).toMatchObject({ phoneKeys: ['+201001234567'] });
    // One that stops hands it over at once.
    await other.stop();
    service.service.app.get(Clock).now = () => new Date(Date.now() + 20_000);
    await pass?.run();
    expect(pass?.stats().isOwner).toBe(true);
    service.service.app.get(Clock).now = () => new Date();
  });
});
