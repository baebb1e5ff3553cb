import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { keyPurposes } from '../../src/core/http/operations.js';
import { ApiKeysService } from '../../src/tenants/keys/api-keys.service.js';
import { canRun, runProgram } from '../clients/support/programs.js';
import { addReservation, addTenant, addUnit, addWallet, type Tenant } from '../support/builders.js';
import { startTestService, type TestService } from '../support/test-service.js';

let service: TestService;
let tenant: Tenant;
let keys: ApiKeysService;
let issued: { readonly key: string; readonly signingSecret: string };

beforeAll(async () => {
  service = await startTestService();
  tenant = await addTenant(service.db);
  keys = service.service.app.get(ApiKeysService);
  issued = { signingSecret: '', ...(await issue()) };
});
afterAll(() => service.stop());

const issue = () =>
  keys.issue({
    organizationId: tenant.organizationId,
    name: 'Collector',
    operations: keyPurposes.collector,
    addresses: null,
    isSigned: true,
    rateLimit: null,
    expiresAt: null,
  });

/** A reservation with a cheque, a report about it, and how many reports are stored. */
const newCheque = async () => {
  const { organizationId } = tenant;
  const unitId = await addUnit(service.db, organizationId);
  const reservationId = await addReservation(service.db, organizationId, unitId);
  // Not ASCII: what is signed are bytes.
  const installmentId = 'شيك 1';
  const cheques = [{ installmentId }];
  const walletId = await addWallet(service.db, organizationId, { reservationId, unitId, cheques });
  const report = {
    reservationId: reservationId.toHexString(),
    installmentId,
    chequeStatus: 'overdue',
  };
  const reports = async () => {
    const wallet = await service.db.collection('chequeWallets').findOne({ _id: walletId });
    const [cheque] = (wallet?.['cheques'] ?? []) as { statusHistory: object[] }[];
    return cheque?.statusHistory.length;
  };
  return { body: JSON.stringify(report), reports };
};

let numbered = 0;
const headersFor = (body: string, secret = issued.signingSecret, offSeconds = 0) => {
  const id = `msg_${numbered++}`;
  const time = new Date(Date.now() + 1_000 * offSeconds);
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(time.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign(id, time, body),
  };
};
const send = (body: string | undefined, headers: object, key = issued.key) =>
  service
    .api('post', '/reservations/webhook')
    .set({ 'content-type': 'application/json', 'api-key': key, ...headers })
    .send(body);

describe('a callback with a signed key', () => {
  it('returns 201 for a Standard Webhooks signature, also with the key in the query', async () => {
    const { body, reports } = await newCheque();
    await send(body, headersFor(body)).expect(201);
    const spaced = body.replaceAll(':', ' : ');
    const headers = headersFor(spaced);
    const several = { 'webhook-signature': `v1a,AAAA v1,AAAA ${headers['webhook-signature']}` };
    await service
      .api('post', '/reservations/webhook')
      .query({ 'api-key': issued.key })
      .set({ 'content-type': 'application/json', ...headers, ...several })
      .send(spaced)
      .expect(201);
    expect(await reports()).toBe(2);
  });

  const itWithPython = canRun('collector.py') ? it : it.skip;
  itWithPython('returns 201 once for the signed and retried callback of the guide', async () => {
    const { body, reports } = await newCheque();
    const { key: API_KEY, signingSecret: SIGNING_SECRET } = issued;
    const message = JSON.stringify({ id: `of-${API_KEY}`, ...(JSON.parse(body) as object) });
    const variables = { API_URL: service.url, API_KEY };
    const report = (more: Record<string, string>) =>
      runProgram('collector.py', [], { ...variables, ...more }, message);
    const unsigned = await report({});
    expect(unsigned.stdout).toContain('401 key.signature_invalid');
    for (let time = 0; time < 2; time++) {
      const { stdout, stderr } = await report({ SIGNING_SECRET });
      expect([stdout, stderr]).toEqual([expect.stringContaining('cheque applied'), '']);
    }
    expect(await reports()).toBe(1);
  });

  it('returns 401 and changes nothing when the signature is missing or wrong', async () => {
    const { body, reports } = await newCheque();
    const right = headersFor(body);
    const { signingSecret: otherSecret = '' } = await issue();
    const without = (name: keyof typeof right) => {
      const { [name]: _left, ...rest } = right;
      return rest;
    };
    const refused: readonly (readonly [string | undefined, object])[] = [
      [body, {}],
      [body, without('webhook-id')],
      [body, without('webhook-timestamp')],
      [body, without('webhook-signature')],
      [body, { ...right, 'webhook-id': 'msg_other' }],
      [body, { ...right, 'webhook-timestamp': String(Number(right['webhook-timestamp']) - 1) }],
      [body, { ...right, 'webhook-timestamp': `${right['webhook-timestamp']}.0` }],
      [body, { ...right, 'webhook-signature': right['webhook-signature'].replace('v1', 'v2') }],
      [body, { ...right, 'webhook-signature': right['webhook-signature'].slice(0, -4) }],
      [body, { ...right, 'webhook-signature': 'v1,' }],
      [body, headersFor(body, otherSecret)],
      [body, headersFor(body, issued.signingSecret, -310)],
      [body, headersFor(body, issued.signingSecret, 310)],
      [`${body} `, right],
      ['{"broken', right],
      [undefined, right],
      [undefined, {}],
    ];
    for (const [sent, headers] of refused) {
      const { status, body: text, headers: received } = await send(sent, headers);
      expect([status, text, received['x-error-code']]).toEqual([
        401,
        { statusCode: 401, message: 'Access Denied, API key not valid' },
        'key.signature_invalid',
      ]);
    }
    expect(await reports()).toBe(0);
    // The same headers with the body that they sign.
    await send(body, right).expect(201);
  });

  it('returns 201 within five minutes, and checks the signature before it parses', async () => {
    const { body } = await newCheque();
    await send(body, headersFor(body, issued.signingSecret, -290)).expect(201);
    await send(body, headersFor(body, issued.signingSecret, 290)).expect(201);
    await send('{"broken', headersFor('{"broken')).expect(400);
    const large = 'x'.repeat(2 ** 20 + 1);
    await send(large, headersFor(large)).expect(413);
  });

  it('replays the response of its webhook-id regardless of its Idempotency-Key', async () => {
    const { body, reports } = await newCheque();
    const headers = headersFor(body);
    await send(body, { ...headers, 'idempotency-key': 'first' }).expect(201);
    const again = await send(body, { ...headers, 'idempotency-key': 'second' }).expect(201);
    expect(again.headers['idempotent-replayed']).toBe('true');
    const later = await send(body, { ...headersFor(body), 'idempotency-key': 'first' }).expect(201);
    expect(later.headers).not.toHaveProperty('idempotent-replayed');
    expect(await reports()).toBe(2);
    const otherBody = `${body} `.replace('overdue', 'bounced');
    const reused = { ...headersFor(otherBody), 'webhook-id': headers['webhook-id'] };
    const signature = new Webhook(issued.signingSecret).sign(
      headers['webhook-id'],
      new Date(),
      otherBody,
    );
    const changed = { ...reused, 'webhook-signature': signature };
    const { headers: received } = await send(otherBody, changed);
    expect(received['x-error-code']).toBe('idempotency.key_reused');
  });

  it('returns 201 for the old secret until the overlap of a rotation ends', async () => {
    const { body } = await newCheque();
    const old = await issue();
    const next = await keys.rotate(old.document, 60_000);
    const answer = async ({ key }: { key: string }, { signingSecret = '' }) =>
      (await send(body, headersFor(body, signingSecret), key)).status;
    expect(await answer(old, old)).toBe(201);
    expect([await answer(next, old), await answer(next, next)]).toEqual([201, 201]);
    const ended = { $set: { 'secrets.1.expiresAt': new Date(0) } };
    await service.db.collection('apiKeys').updateOne({ _id: next.document._id }, ended);
    const last = await keys.rotate(next.document, 60_000);
    expect([await answer(last, old), await answer(last, next)]).toEqual([401, 201]);
    expect(await answer(last, last)).toBe(201);
  });

  it('needs a signature only for callbacks, and only with a signed key', async () => {
    const { body, reports } = await newCheque();
    const { reservationId } = JSON.parse(body) as { reservationId: string };
    await service
      .api('get', `/reservations/${reservationId}`)
      .set('api-key', issued.key)
      .expect(200);
    const headers = headersFor(body);
    await send(body, headers, tenant.key).expect(201);
    await send(body, headers, tenant.key).expect(201);
    expect(await reports()).toBe(2);
  });

  it('keeps its secret encrypted in the database', async () => {
    const all = await service.db
      .collection('apiKeys')
      .find({ organizationId: tenant.organizationId })
      .toArray();
    expect(JSON.stringify(all)).not.toContain(issued.signingSecret.slice(6));
  });
});
