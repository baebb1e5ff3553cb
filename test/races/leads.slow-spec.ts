import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { post, postUntilFinal } from '../idempotency/keyed-requests.js';
import { addLead } from '../support/builders.js';
import { countStatuses, range } from '../support/counting.js';
import { sharedInstances } from '../support/instances.js';
import { rounds } from '../support/rounds.js';
import { send } from '../support/service-process.js';

const instances = sharedInstances();
const { db } = instances;

describe('POST /leads to two processes', () => {
  it.each(range(rounds(1, 3)))(
    'merges a hundred concurrent requests with one recordSystemId into one lead (round %i)',
    async () => {
      const { postTo, stored, count } = await instances.addTenant();
      const responses = await Promise.all(
        range(100).map((i) => {
          const [data, additionalData] = [{ [`field${i}`]: i }, { [`meta${i}`]: { i } }];
          return postTo(i, '/leads', { recordSystemId: 'first', data, additionalData });
        }),
      );
      expect(countStatuses(responses)).toEqual({ 200: 99, 201: 1 });
      const data = Object.fromEntries(range(100).map((i) => [`field${i}`, i]));
      const additionalData = Object.fromEntries(range(100).map((i) => [`meta${i}`, { i }]));
      expect(await stored('leads')).toMatchObject([{ data, additionalData }]);
      expect(await count('changeLogs')).toBe(100);
      expect(await count('changeLogs', { context: 'External Lead Create' })).toBe(1);
      expect(await count('outboxEvents', { type: 'lead.created' })).toBe(1);
      expect(await count('outboxEvents', { type: 'lead.updated' })).toBe(99);
      expect(new Set(responses.map(({ body }) => body.lead.leadId)).size).toBe(1);
    },
  );

  it('gives each lead its own number while other programs use some numbers', async () => {
    const { add, count, postTo, stored } = await instances.addTenant();
    const responses = await Promise.all(
      range(40).map(async (i) => {
        if (i % 4 === 0) await add(addLead, { leadId: i + 1 }).catch(() => null);
        return postTo(i, '/leads', { name: `Lead ${i}` });
      }),
    );
    expect(countStatuses(responses)).toEqual({ 201: 40 });
    const numbers = (await stored('leads')).map(({ leadId }) => Number(leadId));
    expect(new Set(numbers).size).toBe(await count('leads'));
  });

  const phones = ['01001234567', '+201001234567', '0100 123 4567', '0020100-123-4567'];
  const names = ['jos\u00e9', 'jose\u0301', 'JOS\u00c9', 'Jose\u0301'];
  const onePhone = (i: number) => ({ [i % 3 ? 'phoneNumber' : 'phoneNumber2']: phones[i % 4] });
  const oneEmail = (i: number) => ({ email: `${names[i % 4]}.stra\u00dfe@x.example` });
  const conflicting = (i: number) =>
    i % 2 === 0 ? { phoneNumber: phones[0], email: 'One@x.example' } : { phoneNumber: phones[1] };

  it.each<[string, (index: number) => object, object, Record<number, number>]>([
    ['one lead for one phone in four spellings', onePhone, {}, { 201: 1, 400: 39 }],
    ['one client for conflicting contacts', conflicting, { allowConflictLeads: true }, { 201: 40 }],
    ['one client for one email in four spellings', oneEmail, {}, { 201: 40 }],
  ])('creates %s', async (_title, body, settings, statuses) => {
    const { count, postTo } = await instances.addTenant({ settings });
    const responses = await Promise.all(range(40).map((i) => postTo(i, '/leads', body(i))));
    expect(countStatuses(responses)).toEqual(statuses);
    expect([await count('leads'), await count('clients')]).toEqual([statuses[201], 1]);
  });

  it('assigns an email to exactly one client when many claim it', async () => {
    const { count, postTo } = await instances.addTenant();
    const saveEmails = (emails: (index: number) => string | undefined) =>
      Promise.all(
        range(20).map((i) =>
          postTo(i, '/leads', { recordSystemId: `taker-${i}`, email: emails(i) }),
        ),
      );
    expect(countStatuses(await saveEmails((i) => `own-${i}@x.example`))).toEqual({ 201: 20 });
    const emails = ['stra\u00dfe@x.example', 'STRASSE@x.example'];
    expect(countStatuses(await saveEmails((i) => emails[i % 2]))).toEqual({ 200: 20 });
    expect(await count('clients', { email: { $in: emails } })).toBe(1);
    expect(await count('clients', { email: /^own-/ })).toBe(19);
  });

  it('searches for the first free number once per process', async () => {
    const { organizationId, postTo } = await instances.addTenant();
    const taken = rounds(2_000, 5_000);
    // The leads are old and have derived phones, so the background job skips them.
    const longAgo = new Date(Date.now() - 86_400_000);
    const fields = { organizationId, isDeleted: false, createdAt: longAgo, updatedAt: longAgo };
    const derived = { phoneKeys: [], phoneKeysOf: '[3,"EG"]', emailKey: '' };
    await db
      .collection('leads')
      .insertMany(range(taken).map((i) => ({ ...fields, ...derived, leadId: i + 1 })));
    const byNumber = { ns: `${db.databaseName}.leads`, planSummary: /_SCAN|leadId: 1/ };
    await db.command({ profile: 1, filter: byNumber });
    const responses = await Promise.all(
      range(50).map((i) => postTo(i, '/leads', { name: `${i}` })),
    );
    await db.command({ profile: 0, filter: 'unset' });
    expect(countStatuses(responses)).toEqual({ 201: 50 });
    const numbers = responses.map(({ body }) => body.lead.leadId);
    expect(new Set(numbers).size).toBe(50);
    expect(Math.min(...numbers)).toBe(taken + 1);
    expect(Math.max(...numbers)).toBeLessThan(taken + 100);
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
    const { count, key, postTo } = await instances.addTenant();
    await postTo(0, '/leads', { recordSystemId: 'both', data: { n: 0 } });
    const responses = await Promise.all(
      range(40).map((i) =>
        i % 4 === 0
          ? send(instances.url(i / 4), { method: 'DELETE', path: '/leads/both', key })
          : postTo(i, '/leads', { recordSystemId: 'both', data: { [`n${i}`]: i } }),
      ),
    );
    const countOperation = (operation: string) =>
      responses.filter(({ body }) => body.operation === operation).length;
    const [created, deleted] = [countOperation('create'), countOperation('delete')];
    const active = await count('leads', { isDeleted: false });
    expect(responses.every(({ status }) => [200, 201, 404].includes(status))).toBe(true);
    expect(active).toBeLessThanOrEqual(1);
    expect(1 + created - deleted).toBe(active);
    expect(await count('leads')).toBe(1 + created);
  });
});

describe('POST /leads/batch to two processes', () => {
  it('creates each lead once when batches with the same leads arrive concurrently', async () => {
    const { count, key: apiKey } = await instances.addTenant();
    const leads = range(40).map((index) => ({
      recordSystemId: `lead ${index}`,
      phoneNumber: `0100000${1_000 + index}`,
    }));
    const responses = await Promise.all(
      range(4).map((turn) => {
        const body = { leads: turn < 2 ? leads : leads.toReversed() };
        const request = { path: '/leads/batch', apiKey, key: null, body };
        return postUntilFinal({ ...request, url: instances.url(turn) });
      }),
    );
    const bodies = responses.map(({ text }) => JSON.parse(text) as { ok: true; created: number });
    expect(bodies.every(({ ok }) => ok)).toBe(true);
    // Each batch is one transaction, so the first one creates all leads.
    expect(bodies.map(({ created }) => created).toSorted((a, b) => a - b)).toEqual([0, 0, 0, 40]);
    expect([await count('leads'), await count('clients')]).toEqual([40, 40]);
  });
});

describe('an Idempotency-Key of requests to two processes', () => {
  const leads = [{ name: 'Mona' }, { email: 'nobody' }, { name: 'Adel' }];

  it.each<[string, object, status: number, stored: number]>([
    ['/leads', { name: 'Mona' }, 201, 1],
    ['/leads/batch', { leads }, 200, 2],
  ])('lets one of fifty concurrent requests to %s run', async (path, body, status, stored) => {
    const { count, key: apiKey } = await instances.addTenant();
    const request = { path, body, apiKey, key: randomUUID() };
    const sent = await Promise.all(
      range(50).map((turn) => post({ ...request, url: instances.url(turn) })),
    );
    const succeeded = sent.filter((response) => response.status === status);
    const conflicts = sent.filter((response) => response.status === 409);
    expect(succeeded.length + conflicts.length).toBe(50);
    expect(succeeded.filter(({ isReplayed }) => !isReplayed)).toHaveLength(1);
    const repeated = await Promise.all(
      range(4).map((turn) => postUntilFinal({ ...request, url: instances.url(turn) })),
    );
    expect(new Set([...succeeded, ...repeated].map(({ text }) => text)).size).toBe(1);
    expect([await count('leads'), await count('changeLogs')]).toEqual([stored, stored]);
  });
});
