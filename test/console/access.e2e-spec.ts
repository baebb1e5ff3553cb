import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { performance } from 'node:perf_hooks';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Clock } from '../../src/core/configuration/clock.js';
import { readEnvironment } from '../../src/core/configuration/load-environment.js';
import { startOperations } from '../../src/start.js';
import { hashPassword } from '../../src/core/values/password-hash.js';
import { startTestService } from '../support/test-service.js';
import { OPS_PASSWORD, password, send, startConsole, type TestConsole } from './console-client.js';

let service: TestConsole;
beforeAll(async () => {
  service = await startConsole({ TRUST_PROXY: '1', OPS_HOSTS: 'other.internal, Ops.Internal' });
});
afterAll(() => service.stop());

afterEach(() => {
  jest.restoreAllMocks();
});

const hour = 3_600_000;
/** Of a client behind the trusted proxy. */
const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });
const logInWith = (tried: string, address: string) =>
  send(at('/login'), {
    method: 'POST',
    body: new URLSearchParams({ password: tried }),
    ...from(address),
  });
const newSession = async (address: string) => {
  const { headers } = await logInWith(password, address);
  return headers.getSetCookie()[0]?.split(';')[0] ?? '';
};
const setTime = (time: number) =>
  jest.spyOn(service.service.app.get(Clock), 'now').mockImplementation(() => new Date(time));
const at = (path: string) => `${service.operations}/console${path}`;

describe('a reader without a session', () => {
  const paths = ['', '/', '/unknown', '/unknown/deeper', '/console.js'];

  it.each(paths)('gets only the login page at %s', async (path) => {
    const response = await send(at(path));
    expect(response).toMatchObject({ status: 303, html: '' });
    expect(response.location).toMatch(/^\/console\/login(\?next=%2F[\w%.]+)?$/);
  });

  it.each(['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD'])(
    'is redirected to the login by %s',
    async (method) => {
      for (const path of ['', '/unknown', '/logout']) {
        const response = await send(at(path), { method });
        expect({ path, ...response }).toMatchObject({ status: 303, location: '/console/login' });
      }
    },
  );

  it.each(['console-session=x', 'console-session=id.99999999999999', 'console-session=id.1.2'])(
    'is rejected with the cookie %s',
    async (cookie) => {
      expect(await send(at(''), { headers: { cookie } })).toMatchObject({ status: 303 });
    },
  );
});

it('probes are accepted when idle connections use the whole connection limit', async () => {
  const { hostname, port } = new URL(service.operations);
  const open = async () => {
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    return socket;
  };
  const probe = async () => {
    const options = { headers: { connection: 'close' } };
    expect(await send(`${service.operations}/livez`, options)).toMatchObject({ status: 200 });
  };
  const idle = await Promise.all(Array.from({ length: 99 }, open));
  // With its response the listener has accepted those before it.
  await probe();
  idle.push(await open());
  const closed = Promise.race(idle.map((socket) => once(socket, 'close')));
  // The oldest is closed, however long the search for it takes.
  const now = performance.now();
  let looks = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => now + 1_000 * looks++);
  for (let turn = 0; turn < 3; turn++) await probe();
  await closed;
  expect(idle[0]?.readyState).toBe('closed');
  expect(idle.at(-1)?.readyState).toBe('open');
  for (const socket of idle) socket.destroy();
});

describe('the host name of a request', () => {
  const statusOf = async (path: string, host: string) => {
    const { hostname, port } = new URL(service.operations);
    const request = get({ hostname, port, path, headers: { host } }).end();
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    response.resume();
    return response.statusCode;
  };

  it.each([
    '127.0.0.1:1',
    'localhost:9464',
    'LOCALHOST',
    '[::1]:9464',
    '192.0.2.7',
    'ops.internal',
  ])('is accepted: %s', async (host) => expect(await statusOf('/console/login', host)).toBe(200));

  it.each([
    'evil.example',
    'ops.internal.evil.example',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
  ])('is rejected except for probes and metrics: %s', async (host) => {
    for (const path of ['/console', '/console/login', '/console/unknown']) {
      expect(await statusOf(path, host)).toBe(421);
    }
    for (const path of ['/livez', '/metrics']) expect(await statusOf(path, host)).toBe(200);
  });
});

describe('the login', () => {
  it('sets a cookie that is hidden from scripts and other websites', async () => {
    const body = new URLSearchParams({ password, next: '/unknown?x=1' });
    const { status, headers, location } = await send(at('/login'), { method: 'POST', body });
    expect({ status, location }).toEqual({ status: 303, location: '/console/unknown?x=1' });
    expect(headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^console-session=[^;]+; Max-Age=28800; Path=\/console; HttpOnly; SameSite=Strict$/,
      ),
    ]);
  });

  it.each([
    ['https://evil.example/', '/console'],
    ['//evil.example', '/console'],
    [String.raw`/\evil.example`, '/console'],
    ['/partners?page=2', '/console/partners?page=2'],
  ])('redirects next=%s to %s', async (next, location) => {
    const body = new URLSearchParams({ password, next });
    const { headers } = await send(at('/login'), { method: 'POST', body, ...from('198.51.100.9') });
    expect(headers.get('location')).toBe(location);
  });

  it('sets a secure cookie behind a TLS proxy', async () => {
    const body = new URLSearchParams({ password });
    const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '198.51.100.8' };
    const response = await send(at('/login'), { method: 'POST', body, headers });
    expect(response.headers.getSetCookie()[0]).toMatch(/; Secure; /);
  });

  it('returns 401 for a wrong password, without logging it', async () => {
    const tried = await logInWith('wrong password', '198.51.100.1');
    expect(tried).toMatchObject({ status: 401 });
    expect(tried.html).toMatch(/role="alert"[^>]*>The password is wrong\./);
    expect(tried.headers.getSetCookie()).toEqual([]);
    expect(service.logged()).toContain('Login to the console from 198.51.100.1: wrong.');
    expect(service.logged()).not.toContain('wrong password');
  });

  it('returns 429 after five attempts from one address', async () => {
    const statuses = [];
    for (let turn = 0; turn < 5; turn++) {
      statuses.push((await logInWith('wrong', '198.51.100.2')).status);
    }
    const late = await logInWith(password, '198.51.100.2');
    expect([...statuses, late.status]).toEqual([401, 401, 401, 401, 401, 429]);
    expect(late.headers.get('retry-after')).toBe('30');
    expect((await logInWith(password, '198.51.100.3')).status).toBe(303);
    setTime(Date.now() + 31_000);
    expect((await logInWith(password, '198.51.100.2')).status).toBe(303);
  });
});

describe('a session', () => {
  it('expires after eight hours', async () => {
    const cookie = await newSession('198.51.100.20');
    const now = Date.now();
    setTime(now + 8 * hour - 60_000);
    expect(await service.get('', { cookie })).toMatchObject({ status: 200 });
    setTime(now + 8 * hour + 1_000);
    expect(await service.get('', { cookie })).toMatchObject({ status: 303 });
  });

  it('is valid only on instances with the same password', async () => {
    const other = await hashPassword('another password');
    for (const [OPS, status] of [
      [OPS_PASSWORD, 200],
      [other, 303],
    ] as const) {
      const instance = await startTestService({ OPS_PORT: '0', OPS_PASSWORD: OPS });
      const operations = await startOperations(instance.service);
      const response = await send(`${operations}/console`, { headers: { cookie: service.cookie } });
      expect(response.status).toBe(status);
      await instance.stop();
    }
  });
});

describe('a form', () => {
  const post = (form: Record<string, string>, headers: Record<string, string> = {}) =>
    send(at('/logout'), {
      method: 'POST',
      body: new URLSearchParams(form),
      headers: { cookie: service.cookie, ...headers },
    });

  it('returns 403 without the token of its session', async () => {
    const { html } = await service.get('', { cookie: await newSession('198.51.100.21') });
    const foreign = /name="token" value="([^"]+)"/.exec(html)?.[1] ?? '';
    for (const form of [{}, { token: '' }, { token: 'x' }, { token: foreign }]) {
      const response = await post(form);
      expect(response).toMatchObject({ status: 403 });
      expect(response.headers.getSetCookie()).toEqual([]);
    }
  });

  it('returns 403 when it comes from another website', async () => {
    const { html } = await service.get('');
    const token = /name="token" value="([^"]+)"/.exec(html)?.[1] ?? '';
    const response = await post({ token }, { 'sec-fetch-site': 'cross-site' });
    expect(response).toMatchObject({ status: 403 });
    const body = new URLSearchParams({ password });
    const headers = { 'sec-fetch-site': 'cross-site', 'x-forwarded-for': '198.51.100.22' };
    expect(await send(at('/login'), { method: 'POST', body, headers })).toMatchObject({
      status: 403,
    });
  });

  it('returns 413 for oversized and 415 for non-form bodies', async () => {
    const headers = { cookie: service.cookie, 'content-type': 'application/json' };
    const json = await send(at('/logout'), { method: 'POST', body: '{}', headers });
    expect(json.status).toBe(415);
    expect(await post({ token: 'x'.repeat(70_000) })).toMatchObject({ status: 413 });
  });
});

describe('OPS_PASSWORD', () => {
  it.each([
    'secret',
    'scrypt:1024:8:1:x:y',
    OPS_PASSWORD.replace(':1024:', ':1000000:'),
    OPS_PASSWORD.replace(':1024:', ':1025:'),
  ])('rejects %s', (value) => {
    expect(() => readEnvironment({ OPS_PASSWORD: value })).toThrow(
      'OPS_PASSWORD: must be a line that `npm run cli -- console password` prints',
    );
  });

  it('disables the console when it is not set', async () => {
    const without = await startTestService({ OPS_PORT: '0' });
    const operations = await startOperations(without.service);
    for (const path of ['', '/', '/login', '/console.css', '/unknown']) {
      expect(await send(`${operations}/console${path}`)).toMatchObject({ status: 404 });
    }
    await without.stop();
  });
});

describe('a console page', () => {
  it('loads nothing from other sites and runs no inline scripts', async () => {
    const { status, html, headers } = await service.get('');
    expect(status).toBe(200);
    expect(html).toMatch(/^<!doctype html><html lang="en" dir="ltr">/);
    expect(html).toContain('<h1>Overview</h1>');
    expect(html).not.toMatch(/ style=| on\w+=|<style|<script(?! src="\/console\/)|javascript:/i);
    expect(headers.get('content-security-policy')).toMatch(/default-src 'none'.*script-src 'self'/);
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it('stays in Arabic, from right to left, after Arabic was chosen', async () => {
    const { html, headers } = await service.get('?language=ar-eg');
    expect(html).toMatch(/<html lang="ar" dir="rtl">/);
    expect(html).toContain('<h1>نظرة عامة</h1>');
    expect(headers.getSetCookie()).toEqual([expect.stringMatching(/^console-language=ar-eg;/)]);
  });
});

it('logging out clears the cookie', async () => {
  const { status, location, headers } = await service.post('/logout');
  expect({ status, location }).toEqual({ status: 303, location: '/console/login' });
  expect(headers.getSetCookie()[0]).toMatch(/^console-session=; .*Expires=Thu, 01 Jan 1970/);
});

/** Last: it uses up all login attempts. */
it('the login accepts fifty attempts from all addresses without delaying other pages', async () => {
  setTime(Date.now() + 600_000);
  const tries = Array.from({ length: 80 }, (_, index) =>
    logInWith('wrong', `203.0.113.${index}`).then(({ status }) => status),
  );
  expect((await service.get('')).status).toBe(200);
  const statuses = await Promise.all(tries);
  expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(50);
  expect(new Set(statuses)).toEqual(new Set([401, 429]));
});
