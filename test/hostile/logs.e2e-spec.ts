import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MongoServerError } from 'mongodb';
import { LeadsService } from '../../src/leads/leads.service.js';
import { addTenant, addUnit, addReservation, type Tenant } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { openSocket, readToEnd } from '../support/raw-http.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { basePath } from '../support/shared-service.js';
import {
  startWebhookService,
  type TestEndpoint,
  type WebhookService,
} from '../webhooks/webhook-service.js';

/** Marks what may not be in the log: each has it, in the alphabet of its field. */
const marker = 'zqxmark';
/** The same in digits, for phones. */
const digits = '01198765432';

let service: WebhookService;
let tenant: Tenant;
let receiver: Receiver;
let endpoint: TestEndpoint;

beforeAll(async () => {
  service = await startWebhookService({ LOG_LEVEL: 'trace' });
  tenant = await addTenant(service.db);
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

describe('the log', () => {
  it('contains no key, secret or personal data after any request or failure', async () => {
    let sent = 0;
    const send = (method: 'get' | 'post' | 'delete' | 'put', path: string, key = tenant.key) =>
      service
        .api(method, path)
        .set({
          'api-key': key,
          'idempotency-key': `"${marker}-${sent++}"`,
          cookie: `s=${marker}-cookie`,
        })
        .set({ authorization: `Bearer ${marker}-bearer`, 'user-agent': `${marker}-agent` });
    const id = `${marker}-lead`;
    const unitId = await addUnit(service.db, tenant.organizationId, { slug: `${marker}-unit` });
    const reservationId = await addReservation(service.db, tenant.organizationId, unitId);
    const callback = {
      reservationId: reservationId.toHexString(),
      installmentId: `${marker}-installment`,
      chequeNumber: `${marker}-cheque`,
      chequeStatus: 'collected',
    };
    // Accepted, repeated, refused by every kind of check, and unknown.
    await send('post', '/leads')
      .send({ recordSystemId: id, ...person })
      .expect(201);
    await send('post', '/leads')
      .send({ recordSystemId: id, ...person })
      .expect(200);
    await send('post', '/leads').send({ ...person, recordSystemId: `${id}-2` });
    await send('post', '/leads')
      .send({ ...person, email: `${marker} is no address` })
      .expect(400);
    await send('post', '/leads').type('json').send(`{"name":"${marker}-broken`).expect(400);
    await send('post', '/leads').type('text').send(`${marker}-text`).expect(415);
    await send('get', `/leads/${id}`).expect(200);
    await send('get', `/leads/${id}?${marker}-query=${marker}`).expect(400);
    await send('get', `/units?unitId=${marker}&status=${marker}`).expect(200);
    await send('get', `/units/${marker}-slug`).expect(404);
    await send('get', `/compounds/${marker}-slug/units`).expect(404);
    await send('post', '/units')
      .send({ recordSystemId: marker, compound: `${marker}-c` })
      .expect(400);
    await send('post', '/reservations').send({
      unit: `${marker}-unit`,
      lead: { recordSystemId: id },
    });
    await send('post', '/reservations/webhook').send(callback);
    await send('put', `/leads/${marker}`).expect(405);
    await send('get', `/${marker}-nowhere`).expect(404);
    await send('get', '/leads/x', `${marker}-wrong-key`).expect(401);
    const keyInQuery = { 'api-key': tenant.key };
    await service.api('post', '/reservations/webhook').query(keyInQuery).send(callback);
    await service
      .api('post', '/reservations/webhook')
      .query({ 'api-key': `${marker}-key` })
      .send(callback);
    await service.api('get', '/leads/x').query(keyInQuery).expect(401);
    const socket = openSocket(service.url);
    socket.end(
      `GET /${basePath}/leads/${marker} HTTP/1.1\r\nx: ${marker}\r\nbroken ${marker}\r\n\r\n`,
    );
    await readToEnd(socket);
    // Faults of the database quote what it holds.
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
    // Webhooks that fail, of which one cannot be signed.
    await receiver.receivedRequests(3);
    await service.db
      .collection('webhookEndpoints')
      .updateOne({ _id: endpoint.id }, { $set: { 'secrets.0.sealed': 's1.00000000.AAAA' } });
    await service.passTime(60_000);
    await eventually(() => expect(service.logged()).toContain('Could not sign webhooks'));

    const logged = service.logged();
    expect(
      logged.split('\n').filter((line) => line.includes('"request completed"')).length,
    ).toBeGreaterThan(20);
    const secrets = [
      marker,
      digits,
      digits.slice(1),
      tenant.key,
      tenant.key.slice(0, 12),
      endpoint.secret.slice(6),
    ];
    const found = logged
      .split('\n')
      .filter((line) => secrets.some((secret) => line.includes(secret)));
    expect(found).toEqual([]);
  });
});
