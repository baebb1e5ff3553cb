import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Document, ObjectId } from 'mongodb';
import { Types } from 'mongoose';
import { WebhookEndpointsService } from '../../src/webhooks/endpoints/webhook-endpoints.service.js';
import { addReservation, addUnit, conventions } from '../support/builders.js';
import {
  collectionNames,
  excessiveKeyReads,
  profileCommands,
  wastefulCommands,
} from '../support/command-plans.js';
import { eventually } from '../support/eventually.js';
import { type Receiver, type Respond, startReceiver } from '../support/receiver.js';
import type { TenantApi } from '../support/tenant-api.js';
import { randomDatabaseUri } from '../support/test-service.js';
import { createEraser } from '../erasures/personal-data.js';
import { allowLoopback } from '../webhooks/webhook-service.js';
import { startConsole, type TestConsole, textOf } from './console-client.js';
import {
  cardOf,
  cardText,
  fieldIn,
  formIn,
  linesIn,
  linkIn,
  refreshSecondsOf,
  rowsIn,
} from './page-parts.js';

const answer = JSON.stringify({
  error: 'Cannot store: ask ops@finance.example or 0100 123 9876',
  stack: `${'x'.repeat(300)} TAIL`,
});
const maskedAnswer = '{"error":"Cannot store: ask •••@••• or •••• ••• ••••","stack":"xxx';
/** Card of a lead. */
const receivers = 'Events, and who received them';
const failWithText: Respond = (_received, response) =>
  response.writeHead(500, { 'content-type': 'application/json' }).end(answer);

let service: TestConsole;
let tenant: TenantApi;
let receiver: Receiver;
let endpoint: { readonly _id: Types.ObjectId; readonly organizationId: Types.ObjectId };
let secret: string;
let endpointPath: string;
/** The page of the first of three deliveries, two of which wait and one of which was given up. */
let deliveryPath: string;

beforeAll(async () => {
  service = await startConsole({ ROLE: 'all', ...allowLoopback }, randomDatabaseUri());
  tenant = await service.addTenant();
  await service.addTenant();
  receiver = await startReceiver(failWithText);
  const endpoints = service.service.app.get(WebhookEndpointsService);
  const organizationId = new Types.ObjectId(tenant.organizationId.toHexString());
  const fields = { url: `${receiver.url}?token=abc123`, eventTypes: ['lead.*'] };
  ({ endpoint, secret } = await endpoints.add(organizationId, fields));
  endpointPath = `/webhooks/${endpoint._id.toHexString()}`;
  for (const recordSystemId of ['form-1', 'form-2', 'form-3']) {
    await tenant.post('/leads', { recordSystemId, name: 'Mona Farid' }).expect(201);
  }
  await eventually(async () => {
    expect(await tenant.count('webhookDeliveries', { attempts: 1 })).toBe(3);
    // The worker stores it after the deliveries.
    expect(await tenant.count('webhookEndpoints', { failedAttempts: 3 })).toBe(1);
    expect(await tenant.count('webhookStatistics', { failed: { $gt: 0 } })).toBe(1);
  });
  const { _id } = await tenant.storedOne('webhookDeliveries');
  deliveryPath = `/webhooks/deliveries/${String(_id)}`;
  const givenUp = { status: 'failed', failureReason: 'exhausted', completedAt: new Date() };
  await tenant.set('webhookDeliveries', { _id }, givenUp);
});
afterAll(async () => {
  await service.stop();
  await receiver.stop();
});

const deliveries = (fields: Document = {}) => tenant.count('webhookDeliveries', fields);
const delivery = () => tenant.storedOne('webhookDeliveries');
const log = () => tenant.stored('operatorLog');
const endpointPage = async () => (await service.get(endpointPath)).html;
const decoded = (text: string) => text.replaceAll('&quot;', '"');

/** Sends the form with this action of the endpoint's page, concurrently if repeated. @returns the path of the redirect */
async function submit(action: string, times = 1, html?: string): Promise<string> {
  const target = `${endpointPath}/${action}`;
  const form = formIn(html ?? (await endpointPage()), target);
  expect(form).toHaveProperty('formId');
  const sent = Array.from({ length: times }, () => service.post(target, form));
  const responses = await Promise.all(sent);
  expect(responses.map(({ status }) => status)).toEqual(Array(times).fill(303));
  return responses[0]?.location?.replace('/console', '') ?? '';
}

describe('the list of endpoints', () => {
  it('shows their state and numbers of deliveries, without secrets', async () => {
    const { html } = await service.get('/webhooks');
    // Failing endpoints are first.
    expect(rowsIn(cardOf(html, 'Failing'))).toEqual(rowsIn(cardOf(html, 'All endpoints')));
    expect(rowsIn(cardOf(html, 'Failing'))).toEqual([
      [`${receiver.url}?••••••`, 'Nile Homes', 'failing 500', '0', '3', '0%', '2', '1'],
    ]);
    expect(linkIn(html, endpoint._id.toHexString())).toBe(endpointPath);
    const { secrets } = await tenant.storedOne('webhookEndpoints');
    const shown = html + (await endpointPage());
    for (const hidden of ['abc123', secret, secrets[0].sealed]) expect(shown).not.toContain(hidden);
  });

  it('is filtered by state and a part of the URL, and has pages', async () => {
    const added = Array.from({ length: 30 }, (_, index) => ({
      ...conventions(tenant.organizationId),
      url: `https://crm-${index}.example/hooks`,
      eventTypes: ['*'],
      secrets: [],
      isEnabled: index > 0,
      disabledReason: index > 0 ? null : 'operator',
      failingSince: null,
      pausedUntil: null,
    }));
    const endpoints = service.db.collection('webhookEndpoints');
    await endpoints.insertMany(added);
    const urlsOf = async (query: string) =>
      rowsIn((await service.get(`/webhooks${query}`)).html).map(([url]) => url);
    expect(await urlsOf('?show=failing')).toEqual([`${receiver.url}?••••••`]);
    expect(await urlsOf('?show=disabled')).toEqual(['https://crm-0.example/hooks']);
    expect(await urlsOf('?text=CRM-17.ex')).toEqual(['https://crm-17.example/hooks']);
    expect(await urlsOf('?text=crm-17&show=failing')).toEqual([]);
    expect(await service.text('/webhooks?text=none')).toContain('No endpoint matches Choose other');
    const { html } = await service.get('/webhooks?text=crm');
    const next = linkIn(html, 'older=');
    expect(next).toContain('text=crm');
    const [first, second] = [rowsIn(html), rowsIn((await service.get(next)).html)];
    expect([first.length, second.length]).toEqual([25, 5]);
    await endpoints.deleteMany({ _id: { $in: added.map(({ _id }) => _id) } });
  });
});

describe('a failing endpoint', () => {
  it('says since when it fails, why, and what to do, with a masked part of the answer', async () => {
    const html = await endpointPage();
    const why = decoded(cardText(html, 'Why it fails'));
    expect(why).toMatch(
      /^Why it fails failing since .* UTC \( (?:now|\d+ \w+ ago) \): 3 attempts failed\. Last failed attempt .* : 500 /,
    );
    expect(why).toContain(maskedAnswer);
    expect(why).toMatch(/What to do: Send this response to the owner of the receiver\./);
    for (const hidden of ['ops@', 'finance', '9876', 'TAIL', 'Mona'])
      expect(html).not.toContain(hidden);
  });

  it('shows numbers that agree with each other, with its lists, and with its button', async () => {
    const html = await endpointPage();
    const now = cardOf(html, 'Deliveries now');
    expect([fieldIn(now, 'Waiting'), fieldIn(now, 'Failed')]).toEqual(['2', '1']);
    expect([fieldIn(now, 'Delivered in 24 h'), fieldIn(now, 'Failed attempts in 24 h')]).toEqual([
      '0',
      '3',
    ]);
    expect(textOf(now)).toContain('Send all 3 now');
    for (const [status, count] of [
      ['all', 3],
      ['pending', 2],
      ['failed', 1],
      ['delivered', 0],
    ] as const) {
      const list = cardOf(
        (await service.get(`${endpointPath}?status=${status}`)).html,
        'Deliveries',
      );
      expect([status, rowsIn(list).length]).toEqual([status, count]);
    }
    expect(refreshSecondsOf(html)).toBe(60);
  });

  it('is sent everything that waits or was given up by one click, once, with its progress', async () => {
    const waiting: (() => void)[] = [];
    receiver.respondWith((_received, response) => {
      waiting.push(() => response.writeHead(204).end());
    });
    const before = receiver.received.length;
    const html = await endpointPage();
    const page = await submit('send', 3, html);
    expect(page).toMatch(new RegExp(`^${endpointPath}\\?done=`));
    const running = (await service.get(page)).html;
    expect(textOf(running)).toContain('Being sent (3): 0 delivered, 3 not tried yet.');
    expect(refreshSecondsOf(running)).toBe(2);
    await eventually(async () => {
      for (const respond of waiting.splice(0)) respond();
      const { html: done } = await service.get(page);
      expect(textOf(done)).toContain('Sent (3): 3 delivered.');
      expect(refreshSecondsOf(done)).toBe(60);
    });
    expect(receiver.received).toHaveLength(before + 3);
    // The form is sent again after the deliveries.
    expect(await submit('send', 1, html)).toBe(page);
    expect(await deliveries({ status: 'delivered', round: { $lte: 2 } })).toBe(3);
    expect(receiver.received).toHaveLength(before + 3);
    expect(await log()).toMatchObject([
      {
        action: 'endpoint.replay',
        subject: 'endpoint',
        subjectId: endpoint._id.toHexString(),
        details: expect.stringMatching(/^waiting and failed, run of 20/),
        result: 'done',
        count: 3,
        address: '127.0.0.1',
      },
    ]);
    const text = await service.text('/log');
    const id = endpoint._id.toHexString();
    expect(text).toMatch(
      new RegExp(`sent again endpoint ${id} waiting and failed, run of \\S+ done 3`),
    );
  });

  it('that works again has nothing to send, and keeps its last failure', async () => {
    await eventually(async () => {
      const html = await endpointPage();
      expect(html).not.toContain('Send all');
      expect(decoded(cardText(html, 'The last failure'))).toContain(maskedAnswer);
      expect(cardText(html, 'Why it fails')).toBe('');
      expect(rowsIn((await service.get('/webhooks')).html)).toMatchObject([{ 2: 'works' }]);
    });
  });
});

describe('a delivery', () => {
  it('shows its attempts, and the body only on request, which is logged', async () => {
    const before = (await log()).length;
    const { html } = await service.get(deliveryPath);
    const attempts = linesIn(cardOf(html, 'Attempts'));
    // The newest is first.
    expect(attempts).toEqual([
      expect.stringMatching(/ 204 /),
      expect.stringMatching(/ 500 .*Cannot store: ask •••@•••/),
    ]);
    expect(textOf(html)).toMatch(/Delivery of lead\.created to http:\S+\?•••••• /);
    for (const hidden of ['Mona', 'abc123', 'ops@', '9876', 'TAIL'])
      expect(html).not.toContain(hidden);
    expect(await log()).toHaveLength(before);
    const whole = (await service.post(`${deliveryPath}/show`)).html;
    // The body is indented, and the signature header is hidden.
    expect(whole).toContain('&quot;type&quot;: &quot;lead.created&quot;,\n  &quot;timestamp');
    expect(whole).toContain('&quot;name&quot;: &quot;Mona Farid&quot;');
    expect(whole).toMatch(/webhook-id: msg_\w{24}\nwebhook-timestamp: \d{10}\n/);
    expect(whole).toMatch(/webhook-signature: •+/);
    expect(whole).toContain('data-copy-of="body"');
    expect(decoded(whole)).toContain(answer);
    expect((await log()).slice(before)).toMatchObject([
      { action: 'delivery.show', subject: 'delivery', result: 'done' },
    ]);
  });

  it.each([
    [500, 'text/plain', 'gone, says 7', 'gone, says •'],
    [410, 'text/html', '<b>gone</b> says m@x.example', 'gone says •••@•••'],
    [422, 'application/problem+json', '{"id":12}', '{"id":••}'],
    [200, 'text/plain', 'thanks, Mona', null],
    [302, 'text/plain', 'moved, Mona', null],
    [500, 'image/png', 'PNG Mona', null],
    [500, null, 'unknown Mona', null],
  ])('of which the response was %i with %p %j shows %p without a disclosure', async (...given) => {
    const [statusCode, contentType, response, shown] = given;
    const { _id, log: stored } = await delivery();
    const last = { ...stored[1], statusCode, contentType, response };
    await tenant.set('webhookDeliveries', { _id }, { 'log.1': last });
    const { html } = await service.get(deliveryPath);
    const [line = ''] = linesIn(cardOf(html, 'Attempts'));
    if (shown === null) expect(html).not.toMatch(/Mona|PNG/);
    else expect(decoded(line)).toContain(` ${shown} ${shown} `);
    const whole = (await service.post(`${deliveryPath}/show`)).html;
    await tenant.set('webhookDeliveries', { _id }, { 'log.1': stored[1] });
    expect(textOf(decoded(whole).replaceAll('&lt;', '<'))).toContain(textOf(response));
  });

  it('shows where a redirect leads, without its query', async () => {
    const redirectsTo = 'https://far.example/login?token=abc123';
    const { _id } = await delivery();
    await tenant.set('webhookDeliveries', { _id }, { 'log.0.redirectsTo': redirectsTo });
    const { html } = await service.get(deliveryPath);
    expect(textOf(html)).toContain('https://far.example/login?•••••• ');
    expect(html).not.toContain('abc123');
  });

  it('is sent again once, from its page and from another one', async () => {
    receiver.respondWith(204);
    const { round } = await delivery();
    const { html } = await service.get(deliveryPath);
    const form = formIn(html, `${deliveryPath}/replay`);
    expect(form).toMatchObject({ back: deliveryPath });
    const before = receiver.received.length;
    const sent = await Promise.all(
      [1, 2, 3].map(() => service.post(`${deliveryPath}/replay`, form)),
    );
    expect(sent.map(({ status }) => status)).toEqual([303, 303, 303]);
    const page = sent[0]?.location?.replace('/console', '') ?? '';
    expect(page).toMatch(new RegExp(`^${deliveryPath}\\?done=`));
    await eventually(async () =>
      expect(await service.text(page)).toContain(
        'Sent again. It is now delivered, last response 204',
      ),
    );
    expect(receiver.received).toHaveLength(before + 1);
    expect(await delivery()).toMatchObject({ round: Number(round) + 1 });
    for (const [back, expected] of [
      [endpointPath, endpointPath],
      ['//evil.example', deliveryPath],
      ['/webhooks/../../evil', deliveryPath],
    ] as const) {
      const { location } = await service.post(`${deliveryPath}/replay`, { back });
      expect([back, location?.split('?')[0]]).toEqual([back, `/console${expected}`]);
    }
    await eventually(async () => expect(await deliveries({ status: 'delivered' })).toBe(3));
  });

  it('whose personal data was erased shows none, even to a reader who asks', async () => {
    await tenant.post('/leads', { recordSystemId: 'erased-1', name: 'Salma Aziz' }).expect(201);
    const fields = { status: 'delivered' };
    await eventually(async () => expect(await deliveries(fields)).toBe(4));
    const { _id } = (await tenant.stored('webhookDeliveries', fields)).at(-1) ?? {};
    const response = {
      response: 'no, says Salma Aziz',
      statusCode: 500,
      contentType: 'text/plain',
    };
    const { log: stored } = await tenant.storedOne('webhookDeliveries', { _id });
    await tenant.set('webhookDeliveries', { _id }, { log: [{ ...stored[0], ...response }] });
    await (await createEraser(service as never, tenant)).erase('erased-1');
    const page = `/webhooks/deliveries/${String(_id)}`;
    const { html } = await service.get(page);
    const shown = (await service.post(`${page}/show`)).html;
    expect(/Salma|Aziz/.exec(html + shown)).toBeNull();
    expect(fieldIn(html, 'Erased')).not.toBe('');
  });
});

describe('a test', () => {
  it.each([
    [204, 'The test was delivered: 204.'],
    [500, 'The test was not delivered: 500.'],
  ])('that is answered with %i is reported, and sent and logged once', async (status, notice) => {
    receiver.respondWith(status);
    const [sent, logged] = [receiver.received.length, (await log()).length];
    const page = await submit('test', 3);
    await eventually(async () => expect(await service.text(page)).toContain(notice));
    const pings = receiver.received.slice(sent).map(({ body }) => JSON.parse(body).type);
    expect(pings.filter((type) => type === 'webhook.ping')).toHaveLength(1);
    expect((await log()).slice(logged)).toMatchObject([
      { action: 'endpoint.test', result: 'done' },
    ]);
    receiver.respondWith(204);
  });
});

describe('an endpoint', () => {
  it('is disabled only after a confirmation, and enabled again, each logged once', async () => {
    const logged = (await log()).length;
    const asked = await service.post(`${endpointPath}/disable`);
    expect(asked.status).toBe(200);
    expect(textOf(asked.html)).toMatch(
      /Are you sure\? .*Disable the endpoint\? .*Confirm.* Cancel/,
    );
    expect(await tenant.storedOne('webhookEndpoints')).toMatchObject({ isEnabled: true });
    expect(await log()).toHaveLength(logged);
    expect((await service.get(`${endpointPath}/disable`)).status).toBe(404);
    const disabled = await submit('disable', 3, asked.html);
    expect(await service.text(disabled)).toContain('The endpoint is disabled.');
    // A forged link shows no success, because the log has no entry with its form id.
    for (const forged of ['done=disable&result=done', 'done=made-up']) {
      expect(await service.text(`${endpointPath}?${forged}`)).not.toContain(
        'The endpoint is disabled.',
      );
    }
    const enabled = await submit('enable', 3);
    expect(await service.text(enabled)).toContain('The endpoint is enabled.');
    // Versions before 1.0.0 stored the verb alone.
    const old = { action: 'endpoint.enable' };
    await service.db.collection('operatorLog').updateOne(old, { $set: { action: 'enable' } });
    expect(await service.text(enabled)).toContain('The endpoint is enabled.');
    await service.db.collection('operatorLog').updateOne({ action: 'enable' }, { $set: old });
    const subjectId = endpoint._id.toHexString();
    expect((await log()).slice(logged)).toMatchObject([
      { action: 'endpoint.disable', subject: 'endpoint', subjectId, result: 'done', count: null },
      { action: 'endpoint.enable', subject: 'endpoint', subjectId, result: 'done', count: null },
    ]);
  });

  it('that is disabled offers only to be enabled, and refuses everything else with 422', async () => {
    await submit('disable', 1, (await service.post(`${endpointPath}/disable`)).html);
    const html = await endpointPage();
    expect(cardText(html, 'Deliveries now')).toContain('Enable');
    expect(html).not.toMatch(/Send all|Send a test|Disable</);
    expect((await service.get(deliveryPath)).html).not.toContain('Send again');
    const [sent, logged] = [receiver.received.length, (await log()).length];
    for (const refused of [
      `${deliveryPath}/replay`,
      ...['send', 'test', 'disable'].map((action) => `${endpointPath}/${action}`),
    ]) {
      const { status, html: page } = await service.post(refused, { formId: 'x' });
      expect({ refused, status }).toEqual({ refused, status: 422 });
      expect(textOf(page)).toContain(
        'The endpoint is disabled. Enable it before you send deliveries again.',
      );
    }
    expect(receiver.received).toHaveLength(sent);
    expect(await log()).toHaveLength(logged);
    await submit('enable');
  });

  it('that was given up after a 410 says so, and what to do', async () => {
    receiver.respondWith(410);
    await tenant.post('/leads', { recordSystemId: 'form-9' }).expect(201);
    await eventually(async () => {
      const text = cardText(await endpointPage(), 'Why it fails');
      expect(text).toMatch(
        /given up since .* the receiver responded 410, which means that it wants no events/,
      );
      expect(text).toContain('What to do: Ask the receiver whether that was meant. If not, enable');
    });
    receiver.respondWith(204);
    await submit('enable');
  });
});

it('a lead shows the receivers of each event, and sends a failed delivery again', async () => {
  const { _id: lead } = await tenant.storedOne('leads', { recordSystemId: 'form-1' });
  const failed = { objectId: String(lead) };
  const givenUp = { status: 'failed', failureReason: 'exhausted' };
  await tenant.set('webhookDeliveries', failed, givenUp);
  const page = `/leads/${String(tenant.organizationId)}/${String(lead)}`;
  const { html } = await service.get(page);
  const told = cardOf(html, receivers);
  expect(linesIn(told)).toEqual([
    expect.stringMatching(/ lead\.created failed at 1 of 1 .*\/hook\?•••••• failed Send again /),
  ]);
  expect(linkIn(told, deliveryPath)).toBe(deliveryPath);
  const form = formIn(told, `${deliveryPath}/replay`);
  expect(form).toMatchObject({ back: page });
  let respond: (() => void) | undefined;
  receiver.respondWith((_received, response) => {
    respond = () => response.writeHead(204).end();
  });
  const { location } = await service.post(`${deliveryPath}/replay`, form);
  expect(location).toMatch(new RegExp(`^/console${page}\\?done=`));
  const toldText = async () => cardText((await service.get(page)).html, receivers);
  expect(await toldText()).toContain('lead.created waits for 1 of 1');
  await eventually(() => expect(respond).toBeDefined());
  respond?.();
  receiver.respondWith(204);
  await eventually(async () => expect(await toldText()).toContain('lead.created sent to 1'));
});

it('a lead with many deliveries shows those of the newest events, on a page of limited size', async () => {
  const { _id: lead } = await tenant.storedOne('leads', { recordSystemId: 'form-1' });
  const event = await tenant.storedOne('outboxEvents', { 'data._id': String(lead) });
  const events = Array.from({ length: 20 }, (_, index) => ({
    ...event,
    _id: new ObjectId(),
    sequence: 50 + index,
    type: 'lead.updated',
    createdAt: new Date(Date.now() + index),
  }));
  const one = await delivery();
  const sent = events.flatMap(({ _id: eventId, createdAt }) =>
    Array.from({ length: 15 }, () => {
      const ids = { _id: new ObjectId(), eventId, endpointId: new ObjectId() };
      return { ...one, ...ids, createdAt };
    }),
  );
  const [outbox, stored] = [
    service.db.collection('outboxEvents'),
    service.db.collection('webhookDeliveries'),
  ];
  await outbox.insertMany(events);
  await stored.insertMany(sent);
  const { html } = await service.get(`/leads/${String(tenant.organizationId)}/${String(lead)}`);
  await outbox.deleteMany({ type: 'lead.updated' });
  await stored.deleteMany({ _id: { $in: sent.map(({ _id }) => _id) } });
  expect(linesIn(cardOf(html, receivers))).toHaveLength(21);
  expect(html.match(/\/webhooks\/deliveries\/\w{24}"/g)?.length).toBeGreaterThanOrEqual(200);
  expect(html.length).toBeLessThan(200_000);
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
      action: 'lead.show',
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
      '/webhooks?show=failing',
      endpointPath,
      `${endpointPath}?status=failed`,
      deliveryPath,
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
  // No index serves a search for a part of a name.
  const others = commands.filter(({ ns }) => !ns.endsWith('.apiKeys'));
  expect(wastefulCommands(others)).toEqual([]);
  expect(excessiveKeyReads(commands)).toEqual([]);
});

it('counts the deliveries of an interrupted run, which the next click continues', async () => {
  const [_id, status] = [endpoint._id, 'failed'];
  const all = service.db.collection('webhookDeliveries');
  const run = new Date(Date.now() - 120_000);
  await all.updateMany({}, { $set: { status, replayRun: new Date(0) } });
  const replays = { everything: run };
  const endpoints = service.db.collection('webhookEndpoints');
  await endpoints.updateOne({ _id: new ObjectId(_id.toHexString()) }, { $set: { replays } });
  receiver.respondWith(204);
  const page = await submit('send');
  await eventually(async () => {
    const text = textOf((await service.get(page)).html);
    expect(text).toMatch(/Sent \(([1-9]\d*)\): \1 delivered\./);
  });
});

it('no action runs when the operator log refuses writes', async () => {
  const before = receiver.received.length;
  const { round } = await delivery();
  const validator = { never: { $exists: true } };
  await service.db.command({ collMod: 'operatorLog', validator, validationLevel: 'strict' });
  for (const action of [`${deliveryPath}/replay`, `${endpointPath}/test`, `${endpointPath}/send`]) {
    expect({ action, ...(await service.post(action)) }).toMatchObject({ action, status: 500 });
  }
  const shown = await service.post(`${deliveryPath}/show`);
  expect(shown.status).toBe(500);
  expect(shown.html).not.toContain('Mona');
  expect(receiver.received).toHaveLength(before);
  expect(await delivery()).toMatchObject({ status: 'delivered', round });
});
