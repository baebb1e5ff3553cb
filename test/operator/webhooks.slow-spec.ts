import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ObjectId } from 'mongodb';
import { Webhook } from 'standardwebhooks';
import { addTenant, type Tenant } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import {
  startWebhookService,
  toLoopback,
  type WebhookService,
} from '../webhooks/webhook-service.js';
import { startSession } from './command-line.js';

interface Added {
  readonly _id: string;
  readonly secret: string;
}

let service: WebhookService;
const { run, json } = startSession(() => ({ MONGODB_URI: service.databaseUri, ...toLoopback }));
let tenant: Tenant;
let org: string;
let receiver: Receiver;
let added: Added;

beforeAll(async () => {
  service = await startWebhookService();
  tenant = await addTenant(service.db);
  org = tenant.organizationId.toHexString();
  receiver = await startReceiver();
  const url = ['--url', receiver.url];
  added = await json<Added>(`webhook add --org ${org}`, ...url, '--events', 'lead.*,client.*');
});
afterAll(async () => {
  await receiver.stop();
  await service.stop();
});

describe('webhook', () => {
  it('adds an endpoint, shows its secret once, and the service sends events to it', async () => {
    expect(added).toEqual({
      _id: expect.stringMatching(/^[0-9a-f]{24}$/),
      url: receiver.url,
      eventTypes: ['lead.*', 'client.*'],
      secret: expect.stringMatching(/^whsec_/),
    });
    await service.createLead(tenant, 'form-1');
    const [request] = await receiver.receivedRequests(1);
    new Webhook(added.secret).verify(request?.body ?? '', request?.headers ?? {});
    const [list, shown, table] = await Promise.all([
      json<object[]>(`webhook list --org ${org}`),
      json<object>(`webhook show ${added._id}`),
      run(`webhook show ${added._id}`),
    ]);
    expect(list).toHaveLength(1);
    expect(shown).toMatchObject({ _id: added._id, isEnabled: true, disabledReason: null });
    const names =
      '_id,organizationId,url,eventTypes,isEnabled,disabledReason,fault,failingSince,pausedUntil,secrets,createdAt,updatedAt';
    expect(list.map((one) => Object.keys(one).join())).toEqual([names]);
    expect(Object.keys(shown).join()).toBe(`${names},pending`);
    expect(JSON.stringify([list, shown, table])).not.toMatch(/whsec_|sealed/);
    expect(table.stdout).toMatch(/^State +healthy$/m);
  });

  it("sends a ping and prints the receiver's response", async () => {
    receiver.respondWith((_received, response) => response.writeHead(418).end('short and stout'));
    const failed = await run(`webhook test ${added._id}`);
    expect(failed).toMatchObject({ code: 1, stderr: '' });
    expect(failed.stdout).toMatch(
      /^Delivered +no\nStatus code +418\n.*\nResponse +short and stout\n/,
    );
    receiver.respondWith(204);
    const before = receiver.received.length;
    const passed = await json<object>(`webhook test ${added._id}`);
    expect(passed).toMatchObject({ delivered: true, statusCode: 204, error: null });
    const ping = receiver.received[before];
    expect(new Webhook(added.secret).verify(ping?.body ?? '', ping?.headers ?? {})).toMatchObject({
      type: 'webhook.ping',
      data: { endpointId: added._id },
    });
  });

  it('shows deliveries and replays them', async () => {
    const lead = await service.db.collection('leads').findOne({ recordSystemId: 'form-1' });
    const object = lead?._id.toHexString() ?? '';
    const [listed] = await json<{ _id: string }[]>(
      `webhook deliveries --org ${org} --object ${object}`,
    );
    expect(listed).toMatchObject({ type: 'lead.created', status: 'delivered', objectId: object });
    const id = listed?._id ?? '';
    const [detail, table, ofEndpoint] = await Promise.all([
      json<{ body: string }>(`webhook deliveries ${id}`),
      run(`webhook deliveries ${id}`),
      json<object[]>(`webhook deliveries ${added._id} --status failed`),
    ]);
    expect(detail).toMatchObject({ log: [{ attempt: 1, statusCode: 204, url: receiver.url }] });
    const names =
      '_id,endpointId,messageId,type,objectId,status,failureReason,round,attempts,lastStatusCode,lastError,lastAttemptAt,nextAttemptAt,completedAt,createdAt';
    expect(ofEndpoint.map((one) => Object.keys(one).join())).toEqual([names]);
    expect(Object.keys(detail).join()).toBe(`${names},body,log`);
    expect(JSON.parse(detail.body)).toMatchObject({ type: 'lead.created' });
    const ofOrganization = (await run(`webhook deliveries --org ${org} --object ${object}`)).stdout;
    expect(ofOrganization).toMatch(new RegExp(`^Endpoint +${added._id}$`, 'm'));
    expect(table.stdout).toMatch(/^Round +1\nAttempt +1\nStarted/m);
    expect(ofEndpoint).toMatchObject([{ type: 'webhook.ping', lastStatusCode: 418 }]);

    const before = receiver.received.length;
    expect(await json(`webhook replay ${id}`)).toEqual({ replayed: 1 });
    expect(await json(`webhook replay ${added._id} --failed`)).toEqual({ replayed: 1 });
    const mistaken = [
      await run(`webhook replay ${added._id}`),
      await run(`webhook replay ${id} --failed`),
    ];
    expect(mistaken.map(({ code, stderr }) => [code, stderr])).toEqual([
      [
        2,
        `error: ${added._id} is an endpoint: choose its deliveries by --failed, --since or --until.\n`,
      ],
      [1, `There is no webhook endpoint with id ${id}.\n`],
    ]);
    await receiver.receivedRequests(before + 2);
    const since = new Date(Date.now() + 60_000).toISOString();
    expect(await json(`webhook replay ${added._id} --since ${since}`)).toEqual({ replayed: 0 });
    const logged = await service.db.collection('operatorLog').find({ subjectId: id }).toArray();
    expect(logged.map(({ action, subject, count }) => [action, subject, count])).toEqual([
      ['show', 'delivery', null],
      ['show', 'delivery', null],
      ['replay', 'delivery', 1],
    ]);
  });

  it('updates, disables, enables, rotates and removes an endpoint', async () => {
    const updated = await json(`webhook update ${added._id} --events *`);
    expect(updated).toMatchObject({ eventTypes: ['*'] });
    expect(await json(`webhook disable ${added._id}`)).toMatchObject({
      isEnabled: false,
      disabledReason: 'operator',
    });
    const rejected = await run(`webhook replay ${added._id} --failed`);
    expect(rejected).toMatchObject({ code: 1, stdout: '' });
    expect(rejected.stderr).toMatch(/is disabled: enable it first\.\n$/);
    expect(await json(`webhook enable ${added._id}`)).toMatchObject({ disabledReason: null });
    const rotated = await json<Added & { oldSecretExpiresAt: string }>(
      `webhook rotate-secret ${added._id} --overlap-hours 2`,
    );
    expect(rotated.secret).not.toBe(added.secret);
    const overlap = Date.parse(rotated.oldSecretExpiresAt) - Date.now();
    expect(Math.abs(overlap - 7_200_000)).toBeLessThan(60_000);
    expect(await json(`webhook remove ${added._id}`)).toEqual({
      _id: added._id,
      url: receiver.url,
    });
  });

  it('lists failing endpoints of all organizations with their last response', async () => {
    receiver.respondWith(410);
    const healthy = await service.subscribe(tenant, receiver.url, ['unit.*']);
    const endpoint = await service.subscribe(tenant, receiver.url, ['lead.created']);
    await service.createLead(tenant, 'form-gone');
    await service.deliveryOf(endpoint, { status: 'failed' });
    receiver.respondWith(204);
    const failing = await run('webhook list --failing');
    expect(failing.stdout).toMatch(
      new RegExp(`^Id +${endpoint.id.toHexString()}\\nOrganization +${org}$`, 'm'),
    );
    expect(failing.stdout).toMatch(/^State +given up \(.*410.*\)$/m);
    const [all, some] = await Promise.all([
      json<Added[]>('webhook list'),
      json<Added[]>(`webhook list --failing --org ${org}`),
    ]);
    expect(all.map(({ _id }) => _id)).toContain(String(healthy.id));
    expect(some.map(({ _id }) => _id)).toEqual([String(endpoint.id)]);
  });

  it('rejects unknown ids and forbidden URLs with one line', async () => {
    const unknown = new ObjectId().toHexString();
    const strict = startSession({ MONGODB_URI: service.databaseUri });
    const add = (url: string) =>
      strict.run('webhook', 'add', '--org', org, '--url', url, '--events', '*');
    const outcomes = await Promise.all([
      run(`webhook show ${unknown}`),
      run(`webhook deliveries ${unknown}`),
      run(`lead show nobody --org ${org}`),
      add('http://example.com/'),
      add('https://2852039166/'),
      add('https://user:word@example.com/'),
    ]);
    const errorTexts = [
      /^There is no webhook endpoint with id/,
      /^There is no webhook endpoint or delivery with id/,
      /^There is no lead nobody/,
      /must start with https:\/\/ \(WEBHOOKS_ALLOW_HTTP allows http:\/\/\)/,
      /is not allowed: 169\.254\.169\.254 is not a public address/,
      /must not carry a user or password/,
    ];
    for (const [index, { code, stdout, stderr }] of outcomes.entries()) {
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(errorTexts[index] ?? '');
      expect(stderr).toMatch(/^[^\n]+\n$/);
    }
  });
});

describe('lead', () => {
  it('shows a lead by any of its ids, with its changes and deliveries', async () => {
    const body = { recordSystemId: 'form-2', name: 'Mona' };
    const post = (more: object) =>
      service
        .api('post', '/leads')
        .set('api-key', tenant.key)
        .send({ ...body, ...more });
    const created = await post({}).expect(201);
    const endpoint = await service.subscribe(tenant, receiver.url, ['lead.updated']);
    await post({ data: { budget: 5 } }).expect(200);
    await service.deliveryOf(endpoint, { status: 'delivered' });
    const [shown, byNumber, history, table] = await Promise.all([
      json<object>(`lead show form-2 --org ${org}`),
      json<object>('lead show', String(created.body.lead.leadId), '--org', org),
      json<object[]>(`lead history ${created.body.lead._id} --org ${org}`),
      run(`lead history form-2 --org ${org}`),
    ]);
    expect(shown).toMatchObject({ recordSystemId: 'form-2', data: { name: 'Mona', budget: 5 } });
    expect(byNumber).toEqual(shown);
    expect(history).toMatchObject([
      { kind: 'change', what: 'External Lead Create', source: 'API' },
      {
        kind: 'change',
        what: 'External Lead Update',
        changes: [{ field: 'data.budget', from: null, to: 5 }],
      },
      { kind: 'delivery', what: 'lead.updated', status: 'delivered', lastStatusCode: 204 },
    ]);
    expect(table.stdout).toMatch(/External Lead Update\nDetails +data\.budget: null -> 5$/m);
    expect(table.stdout).toMatch(/lead\.updated\nDetails +delivered at [0-9a-f]{24}, attempts: 1/);
    await eventually(async () => {
      const waiting = service.db.collection('outboxEvents').countDocuments({ sequence: null });
      expect(await waiting).toBe(0);
    });
  });
});
