import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { eventually } from '../support/eventually.js';
import { type Received, type Receiver, startReceiver } from '../support/receiver.js';
import type { TenantApi } from '../support/tenant-api.js';
import {
  startWebhookService,
  allowLoopback,
  type WebhookService,
} from '../webhooks/webhook-service.js';
import { startSession } from './command-line.js';

interface Added {
  readonly _id: string;
  readonly secret: string;
}

let service: WebhookService;
const { run, json, text } = startSession(() => ({
  MONGODB_URI: service.databaseUri,
  ...allowLoopback,
}));
let tenant: TenantApi;
let org: string;
let receiver: Receiver;
let added: Added;
const verify = (request?: Received) =>
  new Webhook(added.secret).verify(request?.body ?? '', request?.headers ?? {});
const namesOf = (record: object) => Object.keys(record).join();

beforeAll(async () => {
  service = await startWebhookService();
  tenant = await service.addTenant();
  org = tenant.organizationId.toHexString();
  receiver = await startReceiver();
  added = await json(`webhook add --org ${org} --events lead.*,client.* --url`, receiver.url);
});
afterAll(async () => {
  await receiver.stop();
  await service.stop();
});

describe('the command webhook', () => {
  it('adds an endpoint that gets events, and shows its secret once', async () => {
    expect(added).toEqual({
      _id: expect.stringMatching(/^[0-9a-f]{24}$/),
      url: receiver.url,
      eventTypes: ['lead.*', 'client.*'],
      secret: expect.stringMatching(/^whsec_/),
    });
    await service.createLead(tenant, 'form-1');
    verify((await receiver.receivedRequests(1))[0]);
    const list = await json<object[]>(`webhook list --org ${org}`);
    let shown = {};
    await eventually(async () => {
      shown = await json<object>(`webhook show ${added._id}`);
      expect(shown).toMatchObject({ state: 'works', day: { delivered: 1, failed: 0 }, waiting: 0 });
    });
    const table = await text(`webhook show ${added._id}`);
    expect(shown).toMatchObject({ _id: added._id, isEnabled: true, disabledReason: null });
    const names =
      '_id,organizationId,url,eventTypes,isEnabled,disabledReason,fault,failingSince,failedAttempts,lastFailure,lastSuccessAt,pausedUntil,secrets,createdAt,updatedAt';
    const counts = 'state,day,waiting,hasMoreWaiting,failed,hasMoreFailed';
    const listed = `${names},${counts}`;
    const times = 'oldestWaitingAt,nextAttemptAt';
    expect([...list, shown].map(namesOf)).toEqual([listed, `${listed},${times}`]);
    expect(JSON.stringify([list, shown, table])).not.toMatch(/whsec_|sealed/);
    expect(table).toMatch(/^State +works$/m);
    expect(table).toMatch(/^Waiting +0\nFailed +0\nDelivered in 24 h +1$/m);
  });

  it("sends a ping and prints the receiver's response", async () => {
    receiver.respondWith((_received, response) => response.writeHead(418).end('short and stout'));
    const { code, stdout } = await run(`webhook test ${added._id}`);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^Delivered +no\nStatus code +418\n.*\nResponse +short and stout\n/);
    receiver.respondWith(204);
    const succeeded = await json(`webhook test ${added._id}`);
    const nothing = { redirectsTo: null, error: null };
    expect(succeeded).toMatchObject({ delivered: true, statusCode: 204, ...nothing });
    const ping = { type: 'webhook.ping', data: { endpointId: added._id } };
    expect(verify(receiver.received.at(-1))).toMatchObject(ping);
  });

  it('prints where a redirect of the receiver leads', async () => {
    receiver.respondWith((_received, response) =>
      response.writeHead(301, { location: '/hooks/' }).end(),
    );
    const add = `webhook add --org ${org} --url ${receiver.url} --events unit.*`;
    const { _id } = await json<{ _id: string }>(add);
    const { stdout } = await run(`webhook test ${_id}`);
    expect(stdout).toMatch(/^Redirects to +http:\/\/[\w.:]+\/hooks\/$/m);
    await run(`webhook remove ${_id}`);
    receiver.respondWith(204);
  });

  it('shows deliveries and replays them', async () => {
    const { _id: lead } = await tenant.storedOne('leads', { recordSystemId: 'form-1' });
    const listLead = `webhook deliveries --org ${org} --object ${String(lead)}`;
    const [listed] = await json<{ _id: string }[]>(listLead);
    expect(listed).toMatchObject({ type: 'lead.created', status: 'delivered' });
    const id = listed?._id ?? '';
    const detail = await json<{ body: string }>(`webhook deliveries ${id}`);
    const [ping] = await json<object[]>(`webhook deliveries ${added._id} --status failed`);
    expect(ping).toMatchObject({ type: 'webhook.ping', lastStatusCode: 418 });
    expect(detail).toMatchObject({ log: [{ attempt: 1, statusCode: 204, url: receiver.url }] });
    const names =
      '_id,endpointId,messageId,type,objectId,status,failureReason,round,attempts,lastStatusCode,lastError,lastAttemptAt,nextAttemptAt,completedAt,createdAt';
    expect([ping, detail].map((one = {}) => namesOf(one))).toEqual([names, `${names},body,log`]);
    expect(JSON.parse(detail.body)).toMatchObject({ type: 'lead.created' });
    expect(await text(listLead)).toMatch(
      new RegExp(`${id} +lead\\.created +${String(lead)} +delivered +1 +204$`, 'm'),
    );
    expect(await text(`webhook deliveries ${id}`)).toMatch(/^1 +1 +20\S+ +http/m);

    const before = receiver.received.length;
    const since = new Date(Date.now() + 60_000).toISOString();
    for (const [call, replayed] of [
      [id, 1],
      [`${added._id} --failed`, 1],
      [`${added._id} --since ${since}`, 0],
    ]) {
      expect(await json(`webhook replay ${call}`)).toEqual({ replayed });
    }
    await receiver.receivedRequests(before + 2);
    for (const [call, code, stderr] of [
      [added._id, 2, /is an endpoint: choose its deliveries by --failed, --since or --until\.\n$/],
      [`${id} --failed`, 1, /^There is no webhook endpoint with id/],
    ] as const) {
      const refused = { code, stderr: expect.stringMatching(stderr) };
      expect(await run(`webhook replay ${call}`)).toMatchObject(refused);
    }
  });

  it('updates, disables, enables, rotates and removes an endpoint', async () => {
    const change = (command: string, options = '') =>
      json<Added & { oldSecretExpiresAt: string }>(`webhook ${command} ${added._id}${options}`);
    expect(await change('update', ' --events *')).toMatchObject({ eventTypes: ['*'] });
    const disabled = { isEnabled: false, disabledReason: 'operator' };
    expect(await change('disable')).toMatchObject(disabled);
    const refused = await run(`webhook replay ${added._id} --failed`);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(/is disabled: enable it first\.\n$/);
    expect(await change('enable')).toMatchObject({ isEnabled: true, disabledReason: null });
    const rotated = await change('rotate-secret', ' --overlap-hours 2');
    expect(rotated.secret).not.toBe(added.secret);
    const overlap = Date.parse(rotated.oldSecretExpiresAt) - Date.now();
    expect(Math.abs(overlap - 7_200_000)).toBeLessThan(60_000);
    expect(await change('remove')).toEqual({ _id: added._id, url: receiver.url });
    expect(await json(`webhook list --org ${org}`)).toEqual([]);
  });

  it('lists failing endpoints of all organizations with their deliveries', async () => {
    receiver.respondWith(410);
    const healthy = await service.subscribe(tenant, receiver.url, ['unit.*']);
    const endpoint = await service.subscribe(tenant, receiver.url, ['lead.created']);
    await service.createLead(tenant, 'form-gone');
    await service.waitForDeliveryOf(endpoint, { status: 'failed' });
    receiver.respondWith(204);
    const failing = await text('webhook list --failing');
    const row = `^${String(endpoint.id)} +http\\S+ +lead\\.created +given up +0 +1 +-$`;
    expect(failing).toMatch(new RegExp(row, 'm'));
    const shown = await text(`webhook show ${String(endpoint.id)}`);
    expect(shown).toMatch(/^State +given up \(the receiver responded 410, .+\)\nSince +20/m);
    expect(shown).toMatch(/^Last failure +20\S+ \(410\)$/m);
    const [all, some] = await Promise.all([
      json<Added[]>('webhook list'),
      json<Added[]>(`webhook list --failing --org ${org}`),
    ]);
    expect(all.map(({ _id }) => _id)).toContain(String(healthy.id));
    expect(some.map(({ _id }) => _id)).toEqual([String(endpoint.id)]);
  });
});

it('the command lead history shows changes and deliveries of a lead by any of its ids', async () => {
  const lead = { recordSystemId: 'form-2', name: 'Mona' };
  const { body } = await tenant.post('/leads', lead).expect(201);
  const endpoint = await service.subscribe(tenant, receiver.url, ['lead.updated']);
  await tenant.post('/leads', { ...lead, data: { budget: 5 } }).expect(200);
  await service.waitForDeliveryOf(endpoint, { status: 'delivered' });
  const { _id, leadId } = body.lead;
  for (const id of ['form-2', leadId, _id]) {
    const shown = await json(`lead show ${id} --org ${org}`);
    expect(shown).toMatchObject({ _id, data: { name: 'Mona', budget: 5 } });
  }
  expect(await json(`lead history ${_id} --org ${org}`)).toMatchObject([
    { kind: 'change', what: 'External Lead Create', source: 'API' },
    { what: 'External Lead Update', changes: [{ field: 'data.budget', from: null, to: 5 }] },
    { kind: 'delivery', what: 'lead.updated', status: 'delivered', lastStatusCode: 204 },
  ]);
  const table = await text(`lead history form-2 --org ${org}`);
  expect(table).toMatch(/ delivery +lead\.updated +delivered at [0-9a-f]{24}, attempts: 1/);
});
