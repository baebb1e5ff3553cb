import { describe, expect, it } from '@jest/globals';
import { addLead, addTenant, type Tenant } from '../support/builders.js';
import { countDocuments, countStatuses, range } from '../support/counting.js';
import { sharedInstances } from '../support/instances.js';
import { rounds } from '../support/rounds.js';
import { send } from '../support/service-process.js';

const instances = sharedInstances();
const { db } = instances;

const post = (tenant: Tenant, body: object, instance: number) =>
  send(instances.url(instance), {
    method: 'POST',
    path: '/leads',
    key: tenant.key,
    body,
  });

describe('POST /leads over two processes', () => {
  it.each(range(rounds(1, 3)))(
    'merges a hundred concurrent requests with one recordSystemId into one lead (round %i)',
    async () => {
      const tenant = await addTenant(db);
      const responses = await Promise.all(
        range(100).map((i) =>
          post(
            tenant,
            {
              recordSystemId: 'first',
              data: { [`field${i}`]: i },
              additionalData: { [`meta${i}`]: { i } },
            },
            i,
          ),
        ),
      );
      expect(countStatuses(responses)).toEqual({ 200: 99, 201: 1 });
      const leads = await db
        .collection('leads')
        .find({ organizationId: tenant.organizationId })
        .toArray();
      expect(leads).toHaveLength(1);
      expect(leads[0]).toMatchObject({
        data: Object.fromEntries(range(100).map((i) => [`field${i}`, i])),
        additionalData: Object.fromEntries(range(100).map((i) => [`meta${i}`, { i }])),
      });
      expect(await countDocuments(db, 'changeLogs', tenant)).toBe(100);
      expect(
        await countDocuments(db, 'changeLogs', tenant, { context: 'External Lead Create' }),
      ).toBe(1);
      expect(await countDocuments(db, 'outboxEvents', tenant, { type: 'lead.created' })).toBe(1);
      expect(await countDocuments(db, 'outboxEvents', tenant, { type: 'lead.updated' })).toBe(99);
      const numbers = new Set(responses.map(({ body }) => body.lead.leadId));
      expect(numbers.size).toBe(1);
    },
  );

  it('gives each lead its own number while other programs use some numbers', async () => {
    const tenant = await addTenant(db);
    const responses = await Promise.all(
      range(40).map(async (i) => {
        if (i % 4 === 0)
          await addLead(db, tenant.organizationId, { leadId: i + 1 }).catch(() => null);
        return post(tenant, { name: `Lead ${i}` }, i);
      }),
    );
    expect(countStatuses(responses)).toEqual({ 201: 40 });
    expect(await countDocuments(db, 'leads', tenant)).toBe(
      new Set(
        await db.collection('leads').distinct('leadId', { organizationId: tenant.organizationId }),
      ).size,
    );
  });

  const phones = ['01001234567', '+201001234567', '0100 123 4567', '0020100-123-4567'];
  const names = ['jos\u00e9', 'jose\u0301', 'JOS\u00c9', 'Jose\u0301'];
  it.each<[string, (index: number) => object, object, Record<number, number>]>([
    [
      'one lead for one phone in four spellings',
      (i) => ({ [i % 3 ? 'phoneNumber' : 'phoneNumber2']: phones[i % 4] }),
      {},
      { 201: 1, 400: 39 },
    ],
    [
      'leads of one client for conflicting contacts of one person',
      (i) => ({
        phoneNumber: phones[i % 2],
        ...(i % 2 === 0 && { email: 'One@example.com' }),
      }),
      { allowConflictLeads: true },
      { 201: 40 },
    ],
    [
      'leads of one client for one email in four spellings',
      (i) => ({ email: `${names[i % 4]}.stra\u00dfe@x.example` }),
      {},
      { 201: 40 },
    ],
  ])('creates %s', async (_what, body, settings, statuses) => {
    const tenant = await addTenant(db, { settings });
    const responses = await Promise.all(range(40).map((i) => post(tenant, body(i), i)));
    expect(countStatuses(responses)).toEqual(statuses);
    expect(await countDocuments(db, 'leads', tenant)).toBe(statuses[201]);
    expect(await countDocuments(db, 'clients', tenant)).toBe(1);
  });

  it('assigns an email to exactly one client when many claim it', async () => {
    const tenant = await addTenant(db);
    const ids = range(20).map((i) => `taker-${i}`);
    const save = (email: (index: number) => string) =>
      Promise.all(
        ids.map((recordSystemId, i) => post(tenant, { recordSystemId, email: email(i) }, i)),
      );
    expect(countStatuses(await save((i) => `own-${i}@x.example`))).toEqual({ 201: 20 });
    const emails = ['stra\u00dfe@x.example', 'STRASSE@x.example'];
    expect(countStatuses(await save((i) => emails[i % 2] ?? ''))).toEqual({ 200: 20 });
    expect(await countDocuments(db, 'clients', tenant, { email: { $in: emails } })).toBe(1);
    expect(await countDocuments(db, 'clients', tenant, { email: /^own-/ })).toBe(19);
  });

  it('searches for the first free number once per process', async () => {
    const tenant = await addTenant(db);
    const { organizationId } = tenant;
    const taken = rounds(2_000, 5_000);
    // Old, and as if their phones were derived, so that no background pass works on them.
    const longAgo = new Date(Date.now() - 86_400_000);
    const fields = { organizationId, isDeleted: false, createdAt: longAgo, updatedAt: longAgo };
    const derived = { phoneKeys: [], phoneKeysOf: '["EG"]' };
    await db
      .collection('leads')
      .insertMany(range(taken).map((i) => ({ ...fields, ...derived, leadId: i + 1 })));
    const byNumber = { ns: `${db.databaseName}.leads`, planSummary: /_SCAN|leadId: 1/ };
    await db.command({ profile: 1, filter: byNumber });
    const responses = await Promise.all(range(50).map((i) => post(tenant, { name: `${i}` }, i)));
    await db.command({ profile: 0, filter: 'unset' });
    expect(countStatuses(responses)).toEqual({ 201: 50 });
    const numbers = responses.map(({ body }) => body.lead.leadId).toSorted((a, b) => a - b);
    expect(new Set(numbers).size).toBe(50);
    expect([numbers[0], (numbers.at(-1) ?? 0) < taken + 100]).toEqual([taken + 1, true]);
    const profile = db.collection<{ command: object; keysExamined: number }>('system.profile');
    const id = organizationId.toHexString();
    const queries = (await profile.find().toArray()).filter(({ command }) =>
      JSON.stringify(command).includes(id),
    );
    await profile.drop();
    const keysExamined = queries.reduce((sum, query) => sum + query.keysExamined, 0);
    expect(queries.length).toBeGreaterThan(0);
    expect(queries.length).toBeLessThan(100);
    expect(keysExamined).toBeLessThan(8 * taken);
  });

  it('applies concurrent updates and deletions in some sequential order', async () => {
    const tenant = await addTenant(db);
    await post(tenant, { recordSystemId: 'both', data: { n: 0 } }, 0);
    const responses = await Promise.all(
      range(40).map((i) =>
        i % 4 === 0
          ? send(instances.url(i / 4), {
              method: 'DELETE',
              path: '/leads/both',
              key: tenant.key,
            })
          : post(tenant, { recordSystemId: 'both', data: { [`n${i}`]: i } }, i),
      ),
    );
    const deleted = responses.filter(({ body }) => body.operation === 'delete').length;
    const created = responses.filter(({ body }) => body.operation === 'create').length;
    const active = await countDocuments(db, 'leads', tenant, { isDeleted: false });
    expect(responses.every(({ status }) => [200, 201, 404].includes(status))).toBe(true);
    expect(active).toBeLessThanOrEqual(1);
    expect(1 + created - deleted).toBe(active);
    expect(await countDocuments(db, 'leads', tenant)).toBe(1 + created);
  });
});
