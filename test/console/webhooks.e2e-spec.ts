import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Document, ObjectId } from 'mongodb';
import { Types } from 'mongoose';
import { WebhookEndpointsService } from '../../src/webhooks/endpoints/webhook-endpoints.service.js';
import type { AttemptResult } from '../../src/webhooks/deliveries/attempt-outcome.js';
import { WebhookStatisticsService } from '../../src/webhooks/statistics/webhook-statistics.service.js';
import {
  addKey,
  addReservation,
  addTenant,
  addUnit,
  conventions,
  type Tenant,
} from '../support/builders.js';
import {
  collectionsOf,
  profiledCommands,
  tooManyKeys,
  wasteful,
} from '../support/command-plans.js';
import { eventually } from '../support/eventually.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { randomDatabaseUri } from '../support/test-service.js';
import { toLoopback } from '../webhooks/webhook-service.js';
import { startConsole, type TestConsole, textOf } from './console-client.js';

let service: TestConsole;
let tenant: Tenant;
let receiver: Receiver;
let endpointId: string;
let secret: string;

beforeAll(async () => {
  const variables = { ROLE: 'all', ...toLoopback };
  service = await startConsole(variables, randomDatabaseUri());
  tenant = await addTenant(service.db);
  receiver = await startReceiver((_received, response) =>
    response.writeHead(410).end('no, says Mona'),
  );
  const endpoints = service.service.app.get(WebhookEndpointsService);
  const organizationId = new Types.ObjectId(tenant.organizationId.toHexString());
  const url = `${receiver.url}?token=abc123`;
  const added = await endpoints.add(organizationId, { url, eventTypes: ['lead.*'] });
  endpointId = added.endpoint._id.toHexString();
  ({ secret } = added);
  await createLead('form-1');
  await eventually(async () => {
    expect(await deliveries()).toMatchObject([{ status: 'failed' }]);
    // They are stored after the delivery.
    const [endpoint, quarter] = await Promise.all(
      ['webhookEndpoints', 'webhookStatistics'].map((name) =>
        service.db.collection(name).findOne(),
      ),
    );
    expect(endpoint).toMatchObject({ disabledReason: 'gone' });
    expect(quarter).toMatchObject({ failed: 1 });
  });
});
afterAll(async () => {
  await service.stop();
  await receiver.stop();
});

const createLead = (recordSystemId: string) =>
  service
    .api('post', '/leads')
    .set('api-key', tenant.key)
    .send({ recordSystemId, name: 'Mona Farid' })
    .expect(201);
const deliveries = () =>
  service.db.collection('webhookDeliveries').find().sort({ _id: 1 }).toArray();
const log = () => service.db.collection('operatorLog').find().sort({ _id: 1 }).toArray();

/** The hidden fields of a confirmation. */
function confirmed(html: string): Record<string, string> {
  const fields = [...html.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)];
  return Object.fromEntries(fields.map(([, name = '', value = '']) => [name, value]));
}

/** Sends a form and confirms it, concurrently when repeated. */
async function confirm(path: string, form: Record<string, string> = {}, times = 1) {
  const asked = await service.post(path, form);
  expect(asked.status).toBe(200);
  expect(asked.html).toContain('Yes, do it');
  const fields = confirmed(asked.html);
  const answers = Array.from({ length: times }, () => service.post(path, fields));
  return Promise.all(answers);
}

describe('the list of endpoints', () => {
  it('shows their state without secrets', async () => {
    const { html } = await service.get('/webhooks');
    const text = textOf(html);
    expect(text).toContain('/hook?••••••');
    expect(text).toMatch(/given up \(the receiver responded 410\) \d+ \w+ \d{4}, [\d:]{8}/);
    const endpoint = await service.get(`/webhooks/${endpointId}`);
    const stored = await service.db.collection('webhookEndpoints').findOne();
    for (const page of [html, endpoint.html]) {
      for (const hidden of ['abc123', secret, stored?.['secrets'][0].sealed as string]) {
        expect(page).not.toContain(hidden);
      }
    }
    const filtered = await service.get(`/webhooks?organization=${String(tenant.organizationId)}`);
    expect(filtered.html).toContain(endpointId);
    const empty = await addTenant(service.db);
    const none = await service.get(`/webhooks?organization=${String(empty.organizationId)}`);
    expect(none.html).not.toContain(endpointId);
  });

  it('shows statistics of attempts and pending deliveries', async () => {
    const { app } = service.service;
    await service.db.collection('webhookDeliveries').insertOne({
      ...(await deliveries())[0],
      _id: new ObjectId(),
      eventId: new ObjectId(),
      status: 'pending',
      nextAttemptAt: new Date(Date.now() + 3_600_000),
      completedAt: null,
    });
    await app.get(WebhookStatisticsService).recordBacklogs();
    const stored = await service.db.collection('webhookStatistics').find().toArray();
    expect(stored.reduce((sum, { failed = 0 }) => sum + Number(failed), 0)).toBe(1);
    const text = textOf((await service.get(`/webhooks/${endpointId}`)).html);
    expect(text).toMatch(
      /The last 24 hours Success rate 0% Latency [\d.]+ ms Backlog 1 Attempts 1/,
    );
    await service.db.collection('webhookDeliveries').deleteOne({ status: 'pending' });
    // Another process adds its attempts.
    const result = { statusCode: 204, milliseconds: 10 } as AttemptResult;
    const organizationId = new Types.ObjectId(String(tenant.organizationId));
    const endpoint = { _id: new Types.ObjectId(endpointId), organizationId };
    await app.get(WebhookStatisticsService).add(endpoint, [result]);
    expect(textOf((await service.get('/webhooks')).html)).toContain('50%');
  });

  it('shows the backlog of any number of endpoints', async () => {
    const { db } = service;
    const [one] = await deliveries();
    const endpoint = await db.collection('webhookEndpoints').findOne();
    const ids = Array.from({ length: 250 }, () => new ObjectId());
    await db
      .collection('webhookEndpoints')
      .insertMany(ids.map((_id) => ({ ...endpoint, _id, isEnabled: false })));
    const inAnHour = new Date(Date.now() + 3_600_000);
    await db.collection('webhookDeliveries').insertMany(
      ids.map((id) => ({
        ...one,
        _id: new ObjectId(),
        endpointId: id,
        eventId: new ObjectId(),
        status: 'pending',
        nextAttemptAt: inAnHour,
        completedAt: null,
      })),
    );
    await service.service.app.get(WebhookStatisticsService).recordBacklogs();
    const noted = { endpointId: { $in: ids }, backlog: 1 };
    expect(await db.collection('webhookStatistics').countDocuments(noted)).toBe(250);
    await db.collection('webhookEndpoints').deleteMany({ _id: { $in: ids } });
    await db.collection('webhookDeliveries').deleteMany({ endpointId: { $in: ids } });
  });
});

describe('the search', () => {
  it('finds deliveries and endpoints by id, and a key by its prefix', async () => {
    const [delivery] = await deliveries();
    const path = `/console/webhooks/deliveries/${String(delivery?._id)}`;
    for (const [reference, location] of [
      [String(delivery?._id), path],
      [`msg_${String(delivery?.['eventId'])}`, path],
      [endpointId, `/console/webhooks/${endpointId}`],
    ] as const) {
      const found = await service.post('/search', { reference });
      expect({ reference, location: found.location }).toEqual({ reference, location });
    }
    const _id = new ObjectId();
    const unused = await addKey(service.db, tenant.organizationId, { _id, name: 'Unused' });
    const { location } = await service.post('/search', { reference: unused.slice(0, 6) });
    expect(location).toBe(`/console/partners/${String(_id)}`);
    const { html } = await service.get(`/partners/${String(_id)}`);
    expect(textOf(html)).toContain('State no calls in four weeks');
    expect(textOf((await service.get('/partners')).html)).toContain('Unused');
  });
});

describe('a delivery', () => {
  let path: string;
  let delivery: Document;
  beforeAll(async () => {
    [delivery = {}] = await deliveries();
    path = `/webhooks/deliveries/${delivery['_id']}`;
  });

  it('shows its attempts, and bodies only on request, which is logged', async () => {
    const { html } = await service.get(path);
    expect(textOf(html)).toMatch(/failed \(gone\) .*lead\.created .* ms 410 –/);
    expect(html).not.toMatch(/Mona|abc123/);
    const whole = await service.post(`${path}/show`);
    // The body is written with indents, and the headers are there without the signature.
    expect(whole.html).toContain('&quot;type&quot;: &quot;lead.created&quot;,\n  &quot;timestamp');
    expect(whole.html).toContain('&quot;name&quot;: &quot;Mona Farid&quot;');
    expect(whole.html).toMatch(/webhook-id: msg_\w{24}\nwebhook-timestamp: \d{10}\n/);
    expect(whole.html).toContain('data-copies="body"');
    expect(whole.html).toContain('no, says Mona');
    expect(await log()).toMatchObject([{ action: 'show', subject: 'delivery', result: 'done' }]);
  });

  it('returns 422 when it is replayed to a disabled endpoint', async () => {
    const before = receiver.received.length;
    for (const refused of [`${path}/replay`, `/webhooks/${endpointId}/replay`]) {
      const { status, html } = await service.post(refused, { status: 'failed', formId: 'x' });
      expect({ refused, status }).toEqual({ refused, status: 422 });
      expect(html).toContain(
        'The endpoint is disabled. Enable it before you send deliveries again.',
      );
    }
    expect(receiver.received).toHaveLength(before);
    expect(await log()).toHaveLength(1);
  });
});

describe('an operator action', () => {
  it('changes nothing before it is confirmed', async () => {
    const { html } = await service.post(`/webhooks/${endpointId}/enable`);
    expect(html).toContain('Yes, do it');
    const endpoint = await service.db.collection('webhookEndpoints').findOne();
    expect(endpoint).toMatchObject({ isEnabled: false });
    const get = await service.get(`/webhooks/${endpointId}/enable`);
    expect(get.status).toBe(404);
  });

  it('enables an endpoint, and replays a delivery once despite repeated confirmations', async () => {
    const [enabled] = await confirm(`/webhooks/${endpointId}/enable`);
    const at = `/console/webhooks/${endpointId}?done=`;
    expect(enabled?.location?.startsWith(at)).toBe(true);
    const shown = await service.get(enabled?.location?.slice('/console'.length) ?? '');
    expect(textOf(shown.html)).toContain('The endpoint is enabled.');
    // A link alone cannot claim it: the log has to have the form.
    for (const forged of ['done=enable&result=done', 'done=made-up']) {
      const { html } = await service.get(`/webhooks/${endpointId}?${forged}`);
      expect(html).not.toContain('The endpoint is enabled.');
    }
    receiver.respondWith(204);
    const before = receiver.received.length;
    const [delivery] = await deliveries();
    const answers = await confirm(`/webhooks/deliveries/${String(delivery?._id)}/replay`, {}, 5);
    expect(answers.map(({ status }) => status)).toEqual([303, 303, 303, 303, 303]);
    await eventually(async () =>
      expect(await deliveries()).toMatchObject([{ status: 'delivered' }]),
    );
    // A sixth time, when all is over.
    const again = await service.post(`/webhooks/deliveries/${String(delivery?._id)}/replay`, {
      formId: (await log()).at(-1)?.['formId'] as string,
    });
    expect(again.location).toContain(`/webhooks/deliveries/${String(delivery?._id)}?done=`);
    expect(receiver.received).toHaveLength(before + 1);
    expect((await deliveries())[0]).toMatchObject({ round: 2 });
    expect(await log()).toMatchObject([
      { action: 'show' },
      { action: 'enable', subject: 'endpoint', subjectId: endpointId, result: 'done', count: null },
      { action: 'replay', subject: 'delivery', result: 'done', count: 1 },
    ]);
    const done = await service.get(again.location?.slice('/console'.length) ?? '');
    expect(textOf(done.html)).toContain('Queued to be sent again: 1.');
    expect(textOf(done.html)).toContain('Now: delivered, last response 204.');
  });

  it('returns to the page of its form', async () => {
    const [delivery] = await deliveries();
    const replay = `/webhooks/deliveries/${String(delivery?._id)}/replay`;
    for (const [back, expected] of [
      [`/webhooks/${endpointId}`, `/console/webhooks/${endpointId}?done=`],
      ['//evil.example', `/console${replay.slice(0, -'/replay'.length)}?done=`],
    ] as const) {
      const asked = await service.post(replay, { back });
      const { location } = await service.post(replay, confirmed(asked.html));
      expect(location?.startsWith(expected)).toBe(true);
      const { html } = await service.get(location?.slice('/console'.length) ?? '');
      expect(textOf(html)).toMatch(/Queued to be sent again: 1\. .* Now: (pending|delivered)/);
      await eventually(async () =>
        expect(await deliveries()).toMatchObject([{ status: 'delivered' }]),
      );
    }
  });

  it('replays failed deliveries or a time range, and rejects invalid times', async () => {
    const failed = { status: 'failed', failureReason: 'exhausted' };
    await service.db.collection('webhookDeliveries').updateMany({}, { $set: failed });
    const before = receiver.received.length;
    const [answer] = await confirm(`/webhooks/${endpointId}/replay`, { status: 'failed' });
    const outcome = await service.get(answer?.location?.slice('/console'.length) ?? '');
    expect(textOf(outcome.html)).toContain('Queued to be sent again: 1.');
    await eventually(() => expect(receiver.received).toHaveLength(before + 1));
    await eventually(async () =>
      expect(await deliveries()).toMatchObject([{ status: 'delivered' }]),
    );
    const none = await service.post(`/webhooks/${endpointId}/replay`, { status: 'failed' });
    expect(none).toMatchObject({ status: 422 });
    expect(none.html).toContain('No delivery matches: there is nothing to send again.');
    const since = new Date(Date.now() - 3_600_000).toISOString().slice(0, 16);
    await confirm(`/webhooks/${endpointId}/replay`, { since });
    await eventually(() => expect(receiver.received).toHaveLength(before + 2));
    const entries = await log();
    expect(entries.slice(-2)).toMatchObject([
      { details: 'failed', count: 1 },
      { details: `since ${since}:00.000Z`, count: 1 },
    ]);
    const wrong = await service.post(`/webhooks/${endpointId}/replay`, { since: 'yesterday' });
    expect(wrong.status).toBe(422);
    const page = textOf((await service.get('/log')).html);
    expect(page).toMatch(
      /sent again endpoint \w+ since \S+ done \(1\) .*sent again endpoint \w+ failed/,
    );
  });
});

describe('a lead with events for many endpoints', () => {
  it('shows the receivers of each event, and replays a failed delivery', async () => {
    const { db } = service;
    const lead = await db.collection('leads').findOne({ recordSystemId: 'form-1' });
    const about = { 'data._id': String(lead?._id) };
    const event = await db.collection('outboxEvents').findOne(about);
    const [delivery] = await deliveries();
    const events = Array.from({ length: 20 }, (_, index) => ({
      ...event,
      _id: new ObjectId(),
      sequence: 50 + index,
      type: 'lead.updated',
      createdAt: new Date(Date.now() + index),
    }));
    const sent = events.flatMap(({ _id, createdAt }) =>
      Array.from({ length: 15 }, (_, index) => ({
        ...delivery,
        _id: new ObjectId(),
        eventId: _id,
        endpointId: index === 0 ? delivery?.['endpointId'] : new ObjectId(),
        status: index === 0 ? 'failed' : 'delivered',
        createdAt,
      })),
    );
    await db.collection('outboxEvents').insertMany(events);
    await db.collection('webhookDeliveries').insertMany(sent);
    const path = `/leads/${tenant.organizationId.toHexString()}/${String(lead?._id)}`;
    const { html } = await service.get(path);
    const shown = /<h2>Events<\/h2>(.*?)<\/table>/s.exec(html)?.[1] ?? '';
    expect(shown).not.toContain('no subscriber');
    expect(shown.match(/\/webhooks\/deliveries\/\w+"><code/g)).toHaveLength(301);
    expect(textOf(shown)).toContain('/hook?•••••• failed Send again');
    expect(shown).toContain(`<input type="hidden" name="back" value="${path}"`);
    expect(html.length).toBeLessThan(200_000);
    await db.collection('outboxEvents').deleteMany({ type: 'lead.updated' });
    await db
      .collection('webhookDeliveries')
      .deleteMany({ _id: { $in: sent.map(({ _id }) => _id) } });
  });
});

describe('every page with many records', () => {
  const many = 1_500;
  const paths: string[] = [];

  beforeAll(async () => {
    const { organizationId } = tenant;
    const id = organizationId.toHexString();
    const documents = (make: (index: number) => Document) =>
      Array.from({ length: many }, (_, index) => {
        const createdAt = new Date(Date.UTC(2026, 0, 1) + index);
        return { ...conventions(organizationId), createdAt, ...make(index) };
      });
    const others: Readonly<Record<string, Document[]>> = {
      leads: documents((index) => ({
        leadId: 1_000 + index,
        recordSystemId: `many-${index}`,
        data: { phoneNumber: `0100${String(index).padStart(7, '0')}` },
        phoneKeys: [`+20100${String(index).padStart(7, '0')}`],
        phoneKeysOf: '-',
      })),
      clients: documents((index) => ({ email: `c${index}@example.com`, phoneNumbers: [] })),
      changeLogs: documents(() => ({ entity: 'Lead', entityId: new ObjectId(), changes: [] })),
      outboxEvents: documents((sequence) => ({
        type: 'lead.updated',
        data: { _id: new ObjectId().toHexString() },
        sequence: 100 + sequence,
        numberedAt: new Date(),
      })),
      webhookDeliveries: documents((index) => ({
        endpointId: new ObjectId(),
        eventId: new ObjectId(),
        type: 'lead.created',
        bytes: 100,
        log: [],
        status: ['delivered', 'failed'][index % 2],
        round: 1,
        attempts: 1,
        nextAttemptAt: new Date(0),
        completedAt: new Date(),
      })),
      webhookStatistics: documents(() => ({ endpointId: new ObjectId(), at: new Date() })),
      units: documents((index) => ({ slug: `u-${index}`, unitId: `U-${index}` })),
      reservations: documents(() => ({
        unitId: new ObjectId(),
        leadId: new ObjectId(),
        status: 'canceled',
      })),
      chequeWallets: documents(() => ({ reservationId: new ObjectId(), cheques: [] })),
      reservationCallbacks: documents(() => ({
        reservationId: new ObjectId().toHexString(),
        payload: {},
        outcome: { status: 201, messages: [], effects: { unit: { from: null, to: 'Sold' } } },
      })),
      operatorLog: documents((index) => ({
        formId: `form-${index}`,
        action: 'show',
        subject: 'lead',
        subjectId: id,
        result: 'done',
      })),
    };
    for (const [name, all] of Object.entries(others)) {
      await service.db.collection(name).insertMany(all, { bypassDocumentValidation: true });
    }
    const [first] = await deliveries();
    const lead = await service.db.collection('leads').findOne({ recordSystemId: 'form-1' });
    const unitId = await addUnit(service.db, organizationId);
    const reservationId = await addReservation(service.db, organizationId, unitId);
    paths.push(
      `/leads/${id}/${String(lead?._id)}`,
      `/reservations/${id}/${reservationId.toHexString()}`,
      `/units/${id}/${unitId.toHexString()}`,
      '/webhooks',
      `/webhooks?organization=${id}`,
      `/webhooks/${endpointId}`,
      `/webhooks/${endpointId}?status=failed`,
      `/webhooks/deliveries/${String(first?._id)}`,
      '/log',
    );
  });

  it('reads few more documents than it shows', async () => {
    const commands = await profiledCommands(service.db, async () => {
      for (const path of paths) expect((await service.get(path)).status).toBe(200);
      for (const reference of ['many-7', '01000000007', 'c7@example.com', '1007', 'u-9', 'U-9']) {
        await service.post('/search', { reference });
      }
    });
    const known = new Set(['leads', 'reservations', 'units', 'operatorLog', 'webhookStatistics']);
    for (const name of known) expect(collectionsOf(commands)).toContain(name);
    expect(wasteful(commands)).toEqual([]);
    expect(tooManyKeys(commands)).toEqual([]);
  });
});

describe('an operator log that rejects writes', () => {
  it('prevents every action', async () => {
    const before = receiver.received.length;
    await service.db.command({
      collMod: 'operatorLog',
      validator: { never: { $exists: true } },
      validationLevel: 'strict',
    });
    const [first] = await deliveries();
    const path = `/webhooks/deliveries/${String(first?._id)}`;
    const asked = await service.post(`${path}/replay`);
    expect(await service.post(`${path}/replay`, confirmed(asked.html))).toMatchObject({
      status: 500,
    });
    const shown = await service.post(`${path}/show`);
    expect(shown.status).toBe(500);
    expect(shown.html).not.toContain('Mona');
    expect(receiver.received).toHaveLength(before);
    expect((await deliveries())[0]).toMatchObject({ status: 'delivered' });
  });
});
