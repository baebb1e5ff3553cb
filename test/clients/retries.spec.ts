import { describe, expect, it } from '@jest/globals';
import { IntegrationApiError, NoResponseError } from '../../clients/typescript/src/index.js';
import type { Respond } from '../support/receiver.js';
import { respondingWith, useReceiver } from './support/test-client.js';

const test = useReceiver();
const { client } = test;
const received = () => test.receiver.received;

/** Sends these responses in order, and repeats the last one. */
function respond(...list: Parameters<typeof respondingWith>[]) {
  respondWith((request, response) => {
    respondingWith(...(list[received().length - 1] ?? list.at(-1) ?? [500]))(request, response);
  });
}

const respondWith = (handler: Respond) => test.receiver.respondWith(handler);
const lead = { body: { name: 'Mona' } };
const thrownBy = (call: Promise<unknown>) => call.then(undefined, (error: unknown) => error);
const sentKeys = () => received().map(({ headers }) => headers['idempotency-key']);

describe('the client', () => {
  it.each([408, 409, 429, 500, 502, 503, 504])(
    'retries after %i with the same key',
    async (status) => {
      respond([status], [status], [201, {}, { ok: true }]);
      expect(await client().upsertLead(lead)).toMatchObject({ status: 201, data: { ok: true } });
      const [key] = sentKeys();
      expect(key).toMatch(/^"[0-9a-f-]{36}"$/);
      expect(sentKeys()).toEqual([key, key, key]);
      expect(received().map(({ body }) => body)).toEqual(Array(3).fill('{"name":"Mona"}'));
      expect(test.pauses).toEqual([500, 1_000]);
    },
  );

  it('sends a new key with each POST, and none with other methods', async () => {
    respond([200]);
    const api = client();
    await api.upsertLead(lead);
    await api.upsertLead(lead);
    await api.deleteLead({ path: { recordSystemId: 'a/b' } });
    const [first, second, third] = sentKeys();
    expect([second === first, third]).toEqual([false, undefined]);
    expect(received()[2]).toMatchObject({
      method: 'DELETE',
      path: '/external/apis/v1.0/leads/a%2Fb',
      headers: { 'api-key': 'secret' },
    });
  });

  it.each([400, 401, 404, 413, 422])('does not retry after %i', async (status) => {
    const [code, requestId] = ['lead.not_found', 'r-1'];
    respond([status, { 'x-error-code': code, 'x-request-id': requestId }, { message: 'No' }]);
    const error = await thrownBy(client().upsertLead(lead));
    expect(error).toBeInstanceOf(IntegrationApiError);
    expect(error).toMatchObject({ status, code, messages: ['No'], requestId });
    expect(received()).toHaveLength(1);
  });

  it.each([
    ['7', 7_000],
    ['Tue, 01 Jan 2030 00:00:09 GMT', 9_000],
    ['Mon, 31 Dec 2029 23:59:59 GMT', 0],
  ])('waits for the duration in Retry-After: %s', async (header, milliseconds) => {
    respond([503, { 'retry-after': header }], [200]);
    await client().listUnits();
    expect(test.pauses).toEqual([milliseconds]);
  });

  it('doubles its pauses, with jitter', async () => {
    respond([503]);
    const randomValues = [0, 1, 0.5, 0, 1];
    const random = () => randomValues[test.pauses.length] ?? 0;
    const runtime = { ...test.runtime, now: () => 0, random };
    const retries = { maxPauseMs: 3_000 };
    const error = await thrownBy(client({ runtime, retries }).listUnits());
    expect(error).toMatchObject({ status: 503, code: undefined });
    expect(received()).toHaveLength(6);
    expect(test.pauses).toEqual([500, 500, 1_500, 3_000, 1_500]);
  });

  it('throws immediately when Retry-After exceeds the deadline', async () => {
    respond([503, { 'retry-after': '61' }]);
    expect(await thrownBy(client().listUnits())).toMatchObject({ status: 503 });
    expect(test.pauses).toEqual([]);
    const patient = client().listUnits({}, { totalTimeoutMs: 100_000 });
    expect(await thrownBy(patient)).toMatchObject({ status: 503 });
    expect(test.pauses).toEqual([61_000]);
  });

  it('aborts an attempt after its timeout and retries', async () => {
    respondWith((_, response) => {
      if (received().length > 1) response.writeHead(201).end();
    });
    // On a busy machine several attempts may exceed their timeout.
    const api = client({ retries: { attemptTimeoutMs: 100, attempts: 30, totalTimeoutMs: 1e9 } });
    expect((await api.upsertLead(lead)).status).toBe(201);
    expect(received().length).toBeGreaterThan(1);
    expect(new Set(sentKeys()).size).toBe(1);
  });

  it('retries when the connection closes during the response', async () => {
    respondWith((_, response) => {
      if (received().length > 1) response.writeHead(201).end('{"ok":true}');
      else response.writeHead(201, { 'content-length': 9 }).write('{', () => response.destroy());
    });
    expect((await client().upsertLead(lead)).status).toBe(201);
  });

  it('reports the number of attempts when none gets a response', async () => {
    respondWith((_, response) => response.destroy());
    const error = await thrownBy(client({ retries: { attempts: 3 } }).listUnits());
    expect(error).toBeInstanceOf(NoResponseError);
    const message = expect.stringMatching(/^No response after 3 attempts: \S/);
    expect(error).toMatchObject({ attempts: 3, message });
    expect((error as NoResponseError).cause).toBeInstanceOf(Error);
  });

  it('distinguishes an error page of a proxy from an error of the API', async () => {
    respondWith((_, response) => response.writeHead(403).end('<html>Forbidden</html>'));
    expect(await thrownBy(client().listUnits())).toMatchObject({
      status: 403,
      code: undefined,
      messages: ['HTTP status 403'],
    });
  });

  it('rejects redirects, so the key is not sent to another host', async () => {
    const location = new URL('/elsewhere', test.receiver.url).href;
    respond([302, { location }]);
    expect(await thrownBy(client().listUnits())).toMatchObject({ status: 302 });
    expect(received()).toHaveLength(1);
  });
});

describe('an aborted call', () => {
  const reason = new Error('The visitor left');

  it('rejects with the reason while it waits for the response', async () => {
    const controller = new AbortController();
    respondWith(() => controller.abort(reason));
    const call = client().upsertLead(lead, { signal: controller.signal });
    expect(await thrownBy(call)).toBe(reason);
    expect(received()).toHaveLength(1);
  });

  it('rejects with the reason during a pause between attempts', async () => {
    respond([503]);
    const controller = new AbortController();
    const { signal } = controller;
    const sleep = (_: number, given: AbortSignal | undefined) => {
      if (given === signal) controller.abort(reason);
      return Promise.reject(new Error('Woken'));
    };
    const call = client({ runtime: { sleep } }).listUnits({}, { signal });
    expect(await thrownBy(call)).toBe(reason);
    expect(received()).toHaveLength(1);
  });

  it('sends no request when it was aborted before it started', async () => {
    const call = client().listUnits({}, { signal: AbortSignal.abort(reason) });
    expect(await thrownBy(call)).toBe(reason);
    expect(received()).toEqual([]);
  });
});
