import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MongoServerError } from 'mongodb';
import { LeadsService } from '../../src/leads/leads.service.js';
import { addReservation, addUnit, mayReadEvents } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { openSocket, readToEnd } from '../support/raw-http.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { basePath } from '../support/shared-service.js';
import type { TenantApi } from '../support/tenant-api.js';
import {
  startWebhookService,
  type TestEndpoint,
  type WebhookService,
} from '../webhooks/webhook-service.js';

/** Every value that must not be logged contains this marker. */
const marker = 'zqxmark';
/** Phones need digits, so they have a marker of their own. */
const digits = '01198765432';

let service: WebhookService;
let tenant: TenantApi;
let receiver: Receiver;
let endpoint: TestEndpoint;

beforeAll(async () => {
  service = await startWebhookService({ LOG_LEVEL: 'trace' });
  tenant = await service.addTenant({ key: mayReadEvents });
  receiver = await startReceiver((_received, response) =>
    response.writeHead(500, { 'x-receiver': `${marker}-header` }).end(`${marker}-response`),
  );
  endpoint = await service.subscribe(tenant, `${receiver.url}?token=${marker}-token`);
});
afterAll(async () => {
  await service.stop();
  await receiver.stop();
});

const person = {
  name: `${marker}-name`,
  email: `${marker}@example.com`,
  phoneNumber: digits,
  project: `${marker}-project`,
  data: { leadSource: `${marker}-source`, [`${marker}-key`]: { deep: [`${marker}-deep`] } },
  additionalData: { note: `${marker}-note` },
};

const id = `${marker}-lead`;
type Method = 'get' | 'post' | 'delete' | 'put';
/** Accepted, repeated, refused and unknown requests, each with its status if that is always the same. */
const requests: readonly (readonly [Method, string, object | string | null, number?])[] = [
  ['post', '/leads', { recordSystemId: id, ...person }, 201],
  ['post', '/leads', { recordSystemId: id, ...person }, 200],
  ['post', '/leads', { recordSystemId: `${id}-2`, ...person }],
  ['post', '/leads', { ...person, email: `${marker} is no address` }, 400],
  ['post', '/leads', `{"name":"${marker}-broken`, 400],
  ['get', `/leads/${id}`, null, 200],
  ['get', `/leads/${id}?${marker}-query=${marker}`, null, 400],
  ['get', `/units?unitId=${marker}&status=${marker}`, null, 200],
  ['get', `/leads?email=${marker}@example.com&phone=${digits}&leadSource=${marker}`, null, 200],
  ['get', `/leads?phone=${digits}&email=${marker}&page=2`, null, 400],
  ['get', `/leads?compound=${marker}`, null, 400],
  ['get', `/reservations?unit=${marker}&lead=${marker}`, null, 200],
  ['get', `/cheques?reservation=${marker}`, null, 200],
  ['get', `/units/${marker}-slug`, null, 404],
  ['get', `/compounds/${marker}-slug/units`, null, 404],
  ['post', '/units', { recordSystemId: marker, compound: `${marker}-c` }, 400],
  ['post', '/reservations', { unit: `${marker}-unit`, lead: { recordSystemId: id } }],
  ['put', `/leads/${marker}`, null, 405],
  ['get', `/${marker}-nowhere`, null, 404],
];

describe('the log', () => {
  it('contains no key, secret or personal data after any request or failure', async () => {
    let sent = 0;
    const send = (method: Method, path: string, key = tenant.key) =>
      service.api(method, path).set({
        'api-key': key,
        'idempotency-key': `"${marker}-${sent++}"`,
        cookie: `s=${marker}-cookie`,
        authorization: `Bearer ${marker}-bearer`,
        'user-agent': `${marker}-agent`,
      });
    const unitId = await tenant.add(addUnit, { slug: `${marker}-unit` });
    for (const [method, path, body, status] of requests) {
      const request = send(method, path);
      const response = await (body === null ? request : request.type('json').send(body));
      expect([path, status ?? response.status]).toEqual([path, response.status]);
    }
    await send('post', '/leads').type('text').send(`${marker}-text`).expect(415);
    await send('get', '/leads/x', `${marker}-wrong-key`).expect(401);
    const reservationId = await tenant.add(addReservation, unitId);
    const callback = {
      reservationId: reservationId.toHexString(),
      installmentId: `${marker}-installment`,
      chequeNumber: `${marker}-cheque`,
      chequeStatus: 'collected',
    };
    await send('post', '/reservations/webhook').send(callback);
    for (const key of [tenant.key, `${marker}-key`]) {
      const query = { 'api-key': key };
      await service.api('post', '/reservations/webhook').query(query).send(callback);
      await service.api('get', '/leads/x').query(query).expect(401);
    }
    const socket = openSocket(service.url);
    const invalid = `x: ${marker}\r\nbroken ${marker}`;
    socket.end(`GET /${basePath}/leads/${marker} HTTP/1.1\r\n${invalid}\r\n\r\n`);
    await readToEnd(socket);
    // Error messages of the database quote stored values.
    const leads = service.service.app.get(LeadsService);
    const original = leads.read.bind(leads);
    for (const message of [
      `E11000 duplicate key error collection: x index: y dup key: { name: "${marker}" }`,
      'Document failed validation',
    ]) {
      leads.read = () =>
        Promise.reject(
          new MongoServerError({
            message,
            errInfo: { details: { value: marker } },
            keyValue: { name: marker },
            writeErrors: [{ op: person }],
          }),
        );
      await send('get', `/leads/${id}`).expect(500);
    }
    leads.read = original;
    await send('delete', `/leads/${id}`).expect(200);
    // All webhooks fail, and the service cannot sign the last one.
    await receiver.receivedRequests(3);
    await service.db
      .collection('webhookEndpoints')
      .updateOne({ _id: endpoint.id }, { $set: { 'secrets.0.sealed': 's1.00000000.AAAA' } });
    await service.passTime(60_000);
    await eventually(() => expect(service.logged()).toContain('Could not sign webhooks'));

    const lines = service.logged().split('\n');
    const completed = lines.filter((line) => line.includes('"request completed"'));
    expect(completed.length).toBeGreaterThan(20);
    const keyParts = [tenant.key, tenant.key.slice(0, 12), endpoint.secret.slice(6)];
    const secrets = [marker, digits, digits.slice(1), ...keyParts];
    expect(lines.filter((line) => secrets.some((secret) => line.includes(secret)))).toEqual([]);
  });
});
