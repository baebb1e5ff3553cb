import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { keyPurposes } from '../../src/tenants/keys/operations.js';
import { ApiKeysService } from '../../src/tenants/keys/api-keys.service.js';
import { canRun, runProgram } from '../clients/support/programs.js';
import { addReserved, addUnit } from '../support/builders.js';
import type { TenantApi } from '../support/tenant-api.js';
import { startTestService, type TestService } from '../support/test-service.js';

interface SignedKey {
  readonly key: string;
  readonly signingSecret?: string;
}

let service: TestService;
let tenant: TenantApi;
let keys: ApiKeysService;
let signedKey: SignedKey;

beforeAll(async () => {
  service = await startTestService();
  tenant = await service.addTenant();
  keys = service.service.app.get(ApiKeysService);
  signedKey = await issue();
});
afterAll(() => service.stop());

const issue = () =>
  keys.issue({
    organizationId: tenant.organizationId,
    name: 'Collector',
    operations: keyPurposes.collector.operations,
    addresses: null,
    isSigned: true,
    rateLimit: null,
    expiresAt: null,
  });

/** Returns a report about a new cheque, and a function that counts its stored reports. */
const newCheque = async () => {
  const unitId = await tenant.add(addUnit);
  const reservationId = await tenant.add(addReserved, unitId);
  const id = reservationId.toHexString();
  // The signature covers bytes, so the body contains more than ASCII.
  const report = { reservationId: id, installmentId: '1', chequeStatus: 'overdue', note: 'شيك' };
  const reports = async () => {
    const { cheques } = await tenant.storedOne('chequeWallets', { reservationId });
    return cheques[0].statusHistory.length as number;
  };
  return { id, body: JSON.stringify(report), reports };
};

let messageCount = 0;
const headersFor = (
  body: string,
  { signingSecret = '' }: Partial<SignedKey> = signedKey,
  { seconds = 0, id = `msg_${messageCount++}` } = {},
) => {
  const time = new Date(Date.now() + 1_000 * seconds);
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(time.getTime() / 1_000)),
    'webhook-signature': new Webhook(signingSecret).sign(id, time, body),
  };
};
const send = (body: string | undefined, headers: object, { key }: SignedKey = signedKey) =>
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
      .query({ 'api-key': signedKey.key })
      .set({ 'content-type': 'application/json', ...headers, ...several })
      .send(spaced)
      .expect(201);
    expect(await reports()).toBe(2);
  });

  const itWithPython = canRun('collector.py') ? it : it.skip;
  itWithPython('returns 201 once for the signed and retried callback of the guide', async () => {
    const { body, reports } = await newCheque();
    const { key: API_KEY, signingSecret: SIGNING_SECRET = '' } = signedKey;
    const message = JSON.stringify({ id: `of-${API_KEY}`, ...(JSON.parse(body) as object) });
    const report = (more: Record<string, string>) =>
      runProgram('collector.py', [], { API_URL: service.url, API_KEY, ...more }, message);
    expect((await report({})).stdout).toContain('401 key.signature_missing');
    for (let time = 0; time < 2; time++) {
      const { stdout, stderr } = await report({ SIGNING_SECRET });
      expect([stdout, stderr]).toEqual([expect.stringContaining('cheque applied'), '']);
    }
    expect(await reports()).toBe(1);
  });

  it('returns 401 with the code of the mistake, and changes nothing, when its signature is not valid', async () => {
    const { body, reports } = await newCheque();
    const validHeaders = headersFor(body);
    const { 'webhook-timestamp': timestamp, 'webhook-signature': signature } = validHeaders;
    const names = Object.keys(validHeaders);
    const withoutOne = names.map((name) =>
      Object.fromEntries(Object.entries(validHeaders).filter(([one]) => one !== name)),
    );
    const withEmpty = names.map((name) => ({ ...validHeaders, [name]: '' }));
    const isoTime = new Date().toISOString();
    const refused: Record<string, readonly (readonly [string | undefined, object])[]> = {
      'key.signature_missing': [
        ...[{}, ...withoutOne, ...withEmpty].map((headers) => [body, headers] as const),
        [undefined, {}],
      ],
      'key.signature_expired': [
        ...[`${timestamp}.0`, `${timestamp}000`, isoTime, `-${timestamp}`, 'now'].map(
          (sent) => [body, { ...validHeaders, 'webhook-timestamp': sent }] as const,
        ),
        [body, headersFor(body, signedKey, { seconds: -310 })],
        [body, headersFor(body, signedKey, { seconds: 310 })],
      ],
      'key.signature_mismatch': [
        [body, { ...validHeaders, 'webhook-id': 'msg_other' }],
        [body, { ...validHeaders, 'webhook-timestamp': String(Number(timestamp) - 1) }],
        [body, { ...validHeaders, 'webhook-signature': signature.replace('v1', 'v2') }],
        [body, { ...validHeaders, 'webhook-signature': signature.slice(0, -4) }],
        [body, { ...validHeaders, 'webhook-signature': 'v1,' }],
        [body, headersFor(body, await issue())],
        [`${body} `, validHeaders],
        ['{"broken', validHeaders],
        [undefined, validHeaders],
      ],
    };
    const denied = { statusCode: 401, message: 'Access Denied, API key not valid' };
    for (const [code, requests] of Object.entries(refused)) {
      for (const [sent, headers] of requests) {
        const response = await send(sent, headers).expect(401);
        expect(response.body).toEqual(denied);
        expect([headers, response.headers['x-error-code']]).toEqual([headers, code]);
      }
    }
    expect(await reports()).toBe(0);
    // The same headers are valid with the body that they sign.
    await send(body, validHeaders).expect(201);
  });

  it('accepts a signature up to five minutes old, and verifies it before parsing the body', async () => {
    const { body } = await newCheque();
    for (const seconds of [-290, 290]) {
      await send(body, headersFor(body, signedKey, { seconds })).expect(201);
    }
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
    const other = body.replace('overdue', 'bounced');
    const reused = await send(other, headersFor(other, signedKey, { id: headers['webhook-id'] }));
    expect(reused.headers['x-error-code']).toBe('idempotency.key_reused');
  });

  it('returns 201 for the old secret until the overlap of a rotation expires', async () => {
    const { body } = await newCheque();
    const old = await issue();
    const next = await keys.rotate(old.document, 60_000);
    const statuses = (key: SignedKey, ...secrets: Partial<SignedKey>[]) =>
      Promise.all(
        secrets.map(async (secret) => (await send(body, headersFor(body, secret), key)).status),
      );
    expect(await statuses(old, old)).toEqual([201]);
    expect(await statuses(next, old, next)).toEqual([201, 201]);
    const { _id } = next.document;
    await tenant.set('apiKeys', { _id }, { 'secrets.1.expiresAt': new Date(0) });
    const last = await keys.rotate(next.document, 60_000);
    expect(await statuses(last, old, next, last)).toEqual([401, 201, 201]);
  });

  it('needs a signature only for callbacks, and only with a signed key', async () => {
    const { id, body, reports } = await newCheque();
    await service.api('get', `/reservations/${id}`).set('api-key', signedKey.key).expect(200);
    const headers = headersFor(body);
    await send(body, headers, tenant).expect(201);
    await send(body, headers, tenant).expect(201);
    expect(await reports()).toBe(2);
  });

  it('keeps its secret encrypted in the database', async () => {
    const stored = JSON.stringify(await tenant.stored('apiKeys'));
    expect(stored).not.toContain(signedKey.signingSecret?.slice(6));
  });
});
