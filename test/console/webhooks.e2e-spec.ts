import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type Document, ObjectId } from 'mongodb';
import { Types } from 'mongoose';
import { Clock } from '../../src/core/configuration/clock.js';
import type { AttemptResult } from '../../src/webhooks/deliveries/attempt-outcome.js';
import {
  type EndpointView,
  WebhookEndpointsService,
} from '../../src/webhooks/endpoints/webhook-endpoints.service.js';
import { WebhookStatsService } from '../../src/webhooks/statistics/webhook-stats.service.js';
import { addKey, addReservation, addUnit, conventions } from '../support/builders.js';
import {
  collectionNames,
  profileCommands,
  excessiveKeyReads,
  wastefulCommands,
} from '../support/command-plans.js';
import { eventually } from '../support/eventually.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import type { TenantApi } from '../support/tenant-api.js';
import { randomDatabaseUri } from '../support/test-service.js';
import { allowLoopback } from '../webhooks/webhook-service.js';
import { startConsole, type TestConsole, textOf } from './console-client.js';

let service: TestConsole;
let tenant: TenantApi;
let receiver: Receiver;
let endpoint: { readonly _id: Types.ObjectId; readonly organizationId: Types.ObjectId };
let secret: string;
/** `path` is the page of the endpoint's only delivery. */
let endpointPath: string;
let path: string;

beforeAll(async () => {
  service = await startConsole({ ROLE: 'all', ...allowLoopback }, randomDatabaseUri());
  tenant = await service.addTenant();
  receiver = await startReceiver((_received, response) =>
    response.writeHead(410).end('no, says Mona'),
  );
  const endpoints = service.service.app.get(WebhookEndpointsService);
  const organizationId = new Types.ObjectId(tenant.organizationId.toHexString());
  const fields = { url: `${receiver.url}?token=abc123`, eventTypes: ['lead.*'] };
  ({ endpoint, secret } = await endpoints.add(organizationId, fields));
  endpointPath = `/webhooks/${endpoint._id.toHexString()}`;
  await tenant.post('/leads', { recordSystemId: 'form-1', name: 'Mona Farid' }).expect(201);
  await waitForStatus('failed');
  path = `/webhooks/deliveries/${String((await delivery())._id)}`;
  // The worker stores both after the delivery.
  await eventually(async () => {
    await tenant.storedOne('webhookEndpoints', { disabledReason: 'gone' });
    await tenant.storedOne('webhookStatistics', { failed: 1 });
  });
});
afterAll(async () => {
  await service.stop();
  await receiver.stop();
});

const delivery = () => tenant.storedOne('webhookDeliveries');
const waitForStatus = (status: string) =>
  eventually(async () => expect(await delivery()).toMatchObject({ status }));
const log = () => tenant.stored('operatorLog');
const endpointText = () => service.text(endpointPath);

/** Adds copies of the delivery during the work. */
async function withDeliveries(copies: Document[], work: () => Promise<void>): Promise<void> {
  const one = await delivery();
  const added = copies.map((fields) => ({ ...one, eventId: new ObjectId(), ...fields }));
  const documents = added.map((each) => ({ ...each, _id: new ObjectId() }));
  const deliveries = service.db.collection('webhookDeliveries');
  await deliveries.insertMany(documents);
  await work();
  await deliveries.deleteMany({ _id: { $ne: one['_id'] } });
}
const pending = () => ({
  status: 'pending',
  nextAttemptAt: new Date(Date.now() + 3_600_000),
  completedAt: null,
});

function hiddenFields(html: string): Record<string, string> {
  const fields = [...html.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)];
  return Object.fromEntries(fields.map(([, name = '', value = '']) => [name, value]));
}

/** Sends a form and confirms it, concurrently if repeated. Returns the path of the redirect. */
async function confirm(action: string, form: Record<string, string> = {}, times = 1) {
  const { status, html } = await service.post(action, form);
  expect(status).toBe(200);
  expect(html).toContain('Confirm</button>');
  const confirming = Array.from({ length: times }, () => service.post(action, hiddenFields(html)));
  const responses = await Promise.all(confirming);
  expect(responses.map((one) => one.status)).toEqual(Array(times).fill(303));
  return responses[0]?.location?.replace('/console', '') ?? '';
}

describe('webhook endpoints', () => {
  it('are listed with their state, without secrets', async () => {
    const { html } = await service.get('/webhooks');
    expect(textOf(html)).toMatch(
      /\/hook\?•••••• .*given up \(the receiver responded 410\) \d+ \w+ \d{4}, [\d:]{8}/,
    );
    const { secrets } = await tenant.storedOne('webhookEndpoints');
    const shown = html + (await service.get(endpointPath)).html;
    for (const hidden of ['abc123', secret, secrets[0].sealed]) expect(shown).not.toContain(hidden);
    const { organizationId: empty } = await service.addTenant();
    for (const [of, isListed] of [
      [tenant.organizationId, true],
      [empty, false],
    ] as const) {
      const filtered = (await service.get(`/webhooks?organization=${String(of)}`)).html;
      expect(filtered.includes(endpointPath)).toBe(isListed);
    }
  });

  it('are shown with statistics of attempts and pending deliveries', async () => {
    const statistics = service.service.app.get(WebhookStatsService);
    await withDeliveries([pending()], async () => {
      await statistics.recordBacklogs();
      expect(await endpointText()).toMatch(
        /Last 24 hours Success rate 0% Latency [\d.]+ ms Backlog 1 Attempts 1/,
      );
    });
    // The page must include the attempts of other processes.
    await statistics.addResults(endpoint, [{ statusCode: 204, milliseconds: 10 } as AttemptResult]);
    expect(await service.text('/webhooks')).toContain('50%');
  });

  it('add up the quarters of each hour and keep the largest backlog', async () => {
    const { app } = service.service;
    const found = await app.get(WebhookEndpointsService).inspect(endpoint._id);
    const endpointId = new ObjectId();
    const hour = 3_600_000;
    const current = Math.floor(Date.now() / hour) * hour;
    const clock = jest.spyOn(app.get(Clock), 'now').mockReturnValue(new Date(current + hour / 2));
    const quarter = (hours: number, minutes: number, counts: object) => ({
      ...conventions(tenant.organizationId),
      endpointId,
      at: new Date(current - hours * hour + minutes * 60_000),
      ...counts,
    });
    const statistics = service.db.collection('webhookStatistics');
    await statistics.insertMany([
      quarter(0, 30, { delivered: 3, failed: 0, milliseconds: 90, backlog: 2 }),
      quarter(0, 0, { delivered: 0, failed: 1, milliseconds: 10, backlog: 5 }),
      quarter(1, 15, { backlog: 7 }),
      quarter(2, 15, { delivered: 1, failed: 0, milliseconds: 4 }),
      quarter(24, 45, { delivered: 100, failed: 0, milliseconds: 0 }),
    ]);
    const other = { ...found?.shown, _id: endpointId.toHexString() } as EndpointView;
    const hours = await app.get(WebhookStatsService).lastDay(other);
    const none = { delivered: 0, failed: 0, averageMs: null, backlog: 0 };
    clock.mockRestore();
    expect(hours).toHaveLength(24);
    expect([hours[0], ...hours.slice(-3)]).toEqual([
      none,
      { ...none, delivered: 1, averageMs: 4 },
      { ...none, backlog: 7 },
      { delivered: 3, failed: 1, averageMs: 25, backlog: 5 },
    ]);
    await statistics.deleteMany({ endpointId });
  });

  it('record the backlog of every endpoint, even when there are many', async () => {
    const one = await tenant.storedOne('webhookEndpoints');
    const ids = Array.from({ length: 250 }, () => new ObjectId());
    const endpoints = service.db.collection('webhookEndpoints');
    await endpoints.insertMany(ids.map((_id) => ({ ...one, _id, isEnabled: false })));
    const waiting = ids.map((endpointId) => ({ ...pending(), endpointId }));
    await withDeliveries(waiting, async () => {
      await service.service.app.get(WebhookStatsService).recordBacklogs();
      const recorded = { endpointId: { $in: ids }, backlog: 1 };
      expect(await tenant.count('webhookStatistics', recorded)).toBe(250);
    });
    await endpoints.deleteMany({ _id: { $in: ids } });
  });
});

it('the search finds deliveries and endpoints by id, and an unused key by its prefix', async () => {
  const { _id, eventId } = await delivery();
  const unused = await tenant.add(addKey, { name: 'Unused' });
  const { _id: key } = await tenant.storedOne('apiKeys', { name: 'Unused' });
  for (const [reference, found] of [
    [String(_id), path],
    [`msg_${String(eventId)}`, path],
    [String(endpoint._id), endpointPath],
    [unused.slice(0, 6), `/partners/${String(key)}`],
  ] as const) {
    expect([reference, await service.find(reference)]).toEqual([reference, found]);
  }
  const text = await service.text(`/partners/${String(key)}`);
  expect(text).toContain('State no calls in four weeks');
  expect(await service.text('/partners')).toContain('Unused');
});

describe('a delivery', () => {
  it('shows its attempts, and bodies only on request, which is logged', async () => {
    const { html } = await service.get(path);
    expect(textOf(html)).toMatch(/failed \(gone\) .*lead\.created .* ms 410 –/);
    expect(html).not.toMatch(/Mona|abc123/);
    const whole = (await service.post(`${path}/show`)).html;
    // The body is indented, and the signature header is hidden.
    expect(whole).toContain('&quot;type&quot;: &quot;lead.created&quot;,\n  &quot;timestamp');
    expect(whole).toContain('&quot;name&quot;: &quot;Mona Farid&quot;');
    expect(whole).toMatch(/webhook-id: msg_\w{24}\nwebhook-timestamp: \d{10}\n/);
    expect(whole).toContain('data-copies="body"');
    expect(whole).toContain('no, says Mona');
    expect(await log()).toMatchObject([{ action: 'show', subject: 'delivery', result: 'done' }]);
  });

  it('shows where a redirect leads, without its query', async () => {
    const redirectsTo = 'https://far.example/login?token=abc123';
    await tenant.set('webhookDeliveries', {}, { 'log.0.redirectsTo': redirectsTo });
    const { html } = await service.get(path);
    expect(textOf(html)).toContain('https://far.example/login?•••••• ');
    expect(html).not.toContain('abc123');
  });

  it('is rejected with 422 when it is replayed to a disabled endpoint', async () => {
    for (const refused of [`${path}/replay`, `${endpointPath}/replay`]) {
      const { status, html } = await service.post(refused, { status: 'failed', formId: 'x' });
      expect({ refused, status }).toEqual({ refused, status: 422 });
      expect(html).toContain(
        'The endpoint is disabled. Enable it before you send deliveries again.',
      );
    }
    expect(receiver.received).toHaveLength(1);
    expect(await log()).toHaveLength(1);
  });
});

describe('an operator action', () => {
  it('changes nothing before it is confirmed', async () => {
    const { html } = await service.post(`${endpointPath}/enable`);
    expect(html).toContain('Confirm</button>');
    expect(await tenant.storedOne('webhookEndpoints')).toMatchObject({ isEnabled: false });
    expect((await service.get(`${endpointPath}/enable`)).status).toBe(404);
  });

  it('enables an endpoint, and replays a delivery once despite repeated confirmations', async () => {
    const enabled = await confirm(`${endpointPath}/enable`);
    expect(enabled).toContain(`${endpointPath}?done=`);
    expect(await service.text(enabled)).toContain('The endpoint is enabled.');
    // A forged link shows no success, because the log has no entry with its form id.
    for (const forged of ['done=enable&result=done', 'done=made-up']) {
      const text = await service.text(`${endpointPath}?${forged}`);
      expect(text).not.toContain('The endpoint is enabled.');
    }
    receiver.respondWith(204);
    await confirm(`${path}/replay`, {}, 5);
    await waitForStatus('delivered');
    // The sixth confirmation arrives after the delivery.
    const formId = String((await log()).at(-1)?.['formId']);
    const { location } = await service.post(`${path}/replay`, { formId });
    expect(location).toContain(`${path}?done=`);
    expect(receiver.received).toHaveLength(2);
    expect(await delivery()).toMatchObject({ round: 2 });
    const subjectId = String(endpoint._id);
    expect((await log()).slice(1)).toMatchObject([
      { action: 'enable', subject: 'endpoint', subjectId, result: 'done', count: null },
      { action: 'replay', subject: 'delivery', result: 'done', count: 1 },
    ]);
    const text = await service.text(location?.replace('/console', '') ?? '');
    expect(text).toContain('Queued to be sent again: 1.');
    expect(text).toContain('Current state: delivered. Last response: 204.');
  });

  it('redirects to the page of its form', async () => {
    for (const [back, expected] of [
      [endpointPath, endpointPath],
      ['//evil.example', path],
    ] as const) {
      const page = await confirm(`${path}/replay`, { back });
      expect(page.startsWith(`${expected}?done=`)).toBe(true);
      const outcome = /Queued to be sent again: 1\. .* Current state: (pending|delivered)/;
      expect(await service.text(page)).toMatch(outcome);
      await waitForStatus('delivered');
    }
  });

  it('replays failed deliveries or a time range, and rejects invalid times', async () => {
    const replay = `${endpointPath}/replay`;
    const before = receiver.received.length;
    await tenant.set('webhookDeliveries', {}, { status: 'failed', failureReason: 'exhausted' });
    const page = await confirm(replay, { status: 'failed' });
    expect(await service.text(page)).toContain('Queued to be sent again: 1.');
    await receiver.receivedRequests(before + 1);
    await waitForStatus('delivered');
    for (const [form, message] of [
      [{ status: 'failed' }, 'No delivery matches: there is nothing to send again.'],
      [{ since: 'yesterday' }, ''],
    ] as const) {
      const { status, html } = await service.post(replay, form);
      expect([status, html]).toEqual([422, expect.stringContaining(message)]);
    }
    const since = new Date(Date.now() - 3_600_000).toISOString().slice(0, 16);
    await confirm(replay, { since });
    await receiver.receivedRequests(before + 2);
    expect((await log()).slice(-2)).toMatchObject([
      { details: 'failed', count: 1 },
      { details: `since ${since}:00.000Z`, count: 1 },
    ]);
    const replays = /sent again endpoint \w+ since \S+ done \(1\) .*sent again endpoint \w+ failed/;
    expect(await service.text('/log')).toMatch(replays);
    await waitForStatus('delivered');
  });
});

it('a lead with many events shows the receivers of each, and replays a failed delivery', async () => {
  const { _id: lead } = await tenant.storedOne('leads', { recordSystemId: 'form-1' });
  const event = await tenant.storedOne('outboxEvents', { 'data._id': String(lead) });
  const events = Array.from({ length: 20 }, (_, index) => ({
    ...event,
    _id: new ObjectId(),
    sequence: 50 + index,
    type: 'lead.updated',
    createdAt: new Date(Date.now() + index),
  }));
  const sent = events.flatMap(({ _id: eventId, createdAt }) => [
    { eventId, createdAt, status: 'failed' },
    ...Array.from({ length: 14 }, () => ({ eventId, createdAt, endpointId: new ObjectId() })),
  ]);
  const outbox = service.db.collection('outboxEvents');
  await outbox.insertMany(events);
  await withDeliveries(sent, async () => {
    const page = `/leads/${String(tenant.organizationId)}/${String(lead)}`;
    const { html } = await service.get(page);
    const shown = /<h2>Events<\/h2>(.*?)<\/table>/s.exec(html)?.[1] ?? '';
    expect(shown).not.toContain('no subscriber');
    expect(shown.match(/\/webhooks\/deliveries\/\w+"><code/g)).toHaveLength(301);
    expect(textOf(shown)).toContain('/hook?•••••• failed Send again');
    expect(shown).toContain(`<input type="hidden" name="back" value="${page}"`);
    expect(html.length).toBeLessThan(200_000);
  });
  await outbox.deleteMany({ type: 'lead.updated' });
});

it('console pages with many records read few more documents than they show', async () => {
  const { organizationId } = tenant;
  const id = organizationId.toHexString();
  const newId = () => new ObjectId();
  const records: Readonly<Record<string, (index: number) => Document>> = {
    leads: (index) => ({
      leadId: 1_000 + index,
      recordSystemId: `many-${index}`,
      data: { phoneNumber: `0100${String(index).padStart(7, '0')}` },
      phoneKeys: [`+20100${String(index).padStart(7, '0')}`],
      phoneKeysOf: '-',
    }),
    clients: (index) => ({ email: `c${index}@example.com`, phoneNumbers: [] }),
    changeLogs: () => ({ entity: 'Lead', entityId: newId(), changes: [] }),
    outboxEvents: (index) => ({
      type: 'lead.updated',
      data: { _id: newId().toHexString() },
      sequence: 100 + index,
      numberedAt: new Date(),
    }),
    webhookDeliveries: (index) => ({
      endpointId: newId(),
      eventId: newId(),
      type: 'lead.created',
      bytes: 100,
      log: [],
      status: ['delivered', 'failed'][index % 2],
      round: 1,
      attempts: 1,
      nextAttemptAt: new Date(0),
      completedAt: new Date(),
    }),
    webhookStatistics: () => ({ endpointId: newId(), at: new Date() }),
    units: (index) => ({ slug: `u-${index}`, unitId: `U-${index}` }),
    reservations: () => ({ unitId: newId(), leadId: newId(), status: 'canceled' }),
    chequeWallets: () => ({ reservationId: newId(), cheques: [] }),
    reservationCallbacks: () => ({
      reservationId: newId().toHexString(),
      payload: {},
      outcome: { status: 201, messages: [], effects: { unit: { from: null, to: 'Sold' } } },
    }),
    operatorLog: (index) => ({
      formId: `form-${index}`,
      action: 'show',
      subject: 'lead',
      subjectId: id,
      result: 'done',
    }),
  };
  const { _id: lead } = await tenant.storedOne('leads');
  for (const [name, record] of Object.entries(records)) {
    const documents = Array.from({ length: 1_500 }, (_, index) => {
      const createdAt = new Date(Date.UTC(2026, 0, 1) + index);
      return { ...conventions(organizationId), createdAt, ...record(index) };
    });
    const options = { bypassDocumentValidation: true };
    await service.db.collection(name).insertMany(documents, options);
  }
  const unitId = await tenant.add(addUnit);
  const reservation = await tenant.add(addReservation, unitId);
  const commands = await profileCommands(service.db, async () => {
    for (const page of [
      `/leads/${id}/${String(lead)}`,
      `/reservations/${id}/${String(reservation)}`,
      `/units/${id}/${String(unitId)}`,
      '/webhooks',
      `/webhooks?organization=${id}`,
      endpointPath,
      `${endpointPath}?status=failed`,
      path,
      '/log',
    ]) {
      await service.text(page);
    }
    for (const reference of ['many-7', '01000000007', 'c7@example.com', '1007', 'u-9', 'U-9']) {
      await service.find(reference);
    }
  });
  const expected = ['leads', 'reservations', 'units', 'operatorLog', 'webhookStatistics'];
  expect([...collectionNames(commands)]).toEqual(expect.arrayContaining(expected));
  expect(wastefulCommands(commands)).toEqual([]);
  expect(excessiveKeyReads(commands)).toEqual([]);
});

it('no action runs when the operator log rejects writes', async () => {
  const before = receiver.received.length;
  const validator = { never: { $exists: true } };
  await service.db.command({ collMod: 'operatorLog', validator, validationLevel: 'strict' });
  const asked = await service.post(`${path}/replay`);
  expect((await service.post(`${path}/replay`, hiddenFields(asked.html))).status).toBe(500);
  const shown = await service.post(`${path}/show`);
  expect(shown.status).toBe(500);
  expect(shown.html).not.toContain('Mona');
  expect(receiver.received).toHaveLength(before);
  expect(await delivery()).toMatchObject({ status: 'delivered' });
});
