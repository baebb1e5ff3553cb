import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { performance } from 'node:perf_hooks';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Clock } from '../../src/core/configuration/clock.js';
import { readEnvironment } from '../../src/core/configuration/load-environment.js';
import { hashPassword } from '../../src/core/values/password-hash.js';
import { startOpsListener } from '../../src/start.js';
import { OpsListener } from '../../src/operator/ops-listener/ops-listener.js';
import { startTestService, type TestService } from '../support/test-service.js';
import {
  OPS_PASSWORD,
  password,
  send,
  startConsole,
  type TestConsole,
  tokenIn,
} from './console-client.js';

let service: TestConsole;
beforeAll(async () => {
  service = await startConsole({
    TRUST_PROXY: '1',
    OPS_ALLOWED_HOSTS: 'other.internal, Ops.Internal',
  });
});
afterAll(() => service.stop());

afterEach(() => {
  jest.restoreAllMocks();
});

const hour = 3_600_000;
const at = (path: string) => `${service.operations}/console${path}`;
const submit = (path: string, form: Record<string, string>, headers: Record<string, string>) =>
  send(at(path), { method: 'POST', body: new URLSearchParams(form), headers });
/** Logs in from this address, which the trusted proxy reports. Each address has five attempts. */
const logIn = (address: string, form: object = {}, headers: object = {}) =>
  submit('/login', { password, ...form }, { 'x-forwarded-for': address, ...headers });
const newSession = async (address: string) =>
  (await logIn(address)).headers.getSetCookie()[0]?.split(';')[0] ?? '';
const setTime = (time: number) =>
  jest.spyOn(service.service.app.get(Clock), 'now').mockImplementation(() => new Date(time));

describe('a reader without a session', () => {
  it.each(['', '/', '/unknown/deeper', '/console.jsx', '/libraries/chart.js'])(
    'gets only the login page at %s',
    async (path) => {
      const response = await send(at(path));
      expect(response).toMatchObject({ status: 303, html: '' });
      expect(response.location).toMatch(/^\/console\/login(\?next=%2F[\w%.]+)?$/);
    },
  );

  it.each(['/tabler.css', '/console.css', '/theme.js', '/chart.js', '/console.js'])(
    'gets the file %s, which browsers keep until it changes',
    async (path) => {
      const { status, headers, html } = await send(at(path));
      expect([status, headers.get('cache-control')]).toEqual([200, 'public, max-age=0']);
      expect(html.length).toBeGreaterThan(100);
      expect(headers.get('etag')).toMatch(/^W\/"/);
    },
  );

  it.each(['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD'])(
    'is redirected to the login by %s',
    async (method) => {
      for (const path of ['', '/unknown', '/logout']) {
        const response = await send(at(path), { method });
        expect({ path, ...response }).toMatchObject({ status: 303, location: '/console/login' });
      }
    },
  );

  it.each(['x', 'id.99999999999999', 'x'.repeat(43), 'é'.repeat(43)])(
    'is redirected to the login with the session %s',
    async (session) => {
      const { status } = await service.get('', { cookie: `console-session=${session}` });
      expect(status).toBe(303);
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
  // The response shows that the listener has accepted the earlier connections.
  await probe();
  idle.push(await open());
  const closed = Promise.race(idle.map((socket) => once(socket, 'close')));
  // Each call of the mocked clock advances it by a second; the search for the longest-idle connection must
  // not depend on elapsed time.
  const now = performance.now();
  let readings = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => now + 1_000 * readings++);
  for (let turn = 0; turn < 3; turn++) await probe();
  await closed;
  expect([idle[0]?.readyState, idle.at(-1)?.readyState]).toEqual(['closed', 'open']);
  for (const socket of idle) socket.destroy();
});

it.each([
  ['127.0.0.1:1', true],
  ['localhost:9464', true],
  ['LOCALHOST', true],
  ['[::1]:9464', true],
  ['192.0.2.7', true],
  ['ops.internal', true],
  ['ops.internal.:9464', true],
  ['localhost.', true],
  ['ops.internal..', false],
  ['evil.example.', false],
  ['ops.internal.evil.example', false],
  ['localhost.evil.example', false],
  ['127.0.0.1.evil.example', false],
])('the host name %s is accepted for pages: %s', async (host, isAccepted) => {
  const { hostname, port } = new URL(service.operations);
  const statusOf = async (path: string) => {
    const request = get({ hostname, port, path, headers: { host } }).end();
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    response.resume();
    return response.statusCode;
  };
  expect(await statusOf('/console/login')).toBe(isAccepted ? 200 : 421);
  expect(await statusOf('/console/unknown')).toBe(isAccepted ? 303 : 421);
  for (const path of ['/livez', '/metrics']) expect(await statusOf(path)).toBe(200);
});

describe('the login', () => {
  it('sets a cookie that is hidden from scripts and other websites', async () => {
    const { status, headers } = await logIn('198.51.100.7');
    const cookie =
      /^console-session=[^;]+; Max-Age=28800; Path=\/console; HttpOnly; SameSite=Strict$/;
    expect([status, headers.getSetCookie()]).toEqual([303, [expect.stringMatching(cookie)]]);
    const behindTls = await logIn('198.51.100.8', {}, { 'x-forwarded-proto': 'https' });
    expect(behindTls.headers.getSetCookie()[0]).toMatch(/; Secure; /);
  });

  it.each([
    ['https://evil.example/', '/console'],
    ['//evil.example', '/console'],
    [String.raw`/\evil.example`, '/console'],
    ['/partners?page=2', '/console/partners?page=2'],
  ])('redirects next=%s to %s', async (next, location) => {
    expect(await logIn('198.51.100.9', { next })).toMatchObject({ status: 303, location });
  });

  it('returns 401 for a wrong password, without logging it', async () => {
    const response = await logIn('198.51.100.1', { password: 'wrong password' });
    expect(response.status).toBe(401);
    expect(response.html).toMatch(/role="status".*Incorrect password\./s);
    expect(response.html).toMatch(/<input[^>]* aria-describedby="problem" aria-invalid="true"/);
    expect(response.headers.getSetCookie()).toEqual([]);
    expect(service.logged()).toContain('Refused a console login from 198.51.100.1: wrong.');
    expect(service.logged()).not.toContain('wrong password');
  });

  it('returns 429 after five attempts from one address', async () => {
    for (let turn = 0; turn < 5; turn++) {
      expect((await logIn('198.51.100.2', { password: 'wrong' })).status).toBe(401);
    }
    const { status, headers } = await logIn('198.51.100.2');
    expect([status, headers.get('retry-after')]).toEqual([429, '30']);
    expect((await logIn('198.51.100.3')).status).toBe(303);
    setTime(Date.now() + 31_000);
    expect((await logIn('198.51.100.2')).status).toBe(303);
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

  it('is valid on all instances with the same password', async () => {
    const other = await hashPassword('another password');
    for (const [hash, status] of [
      [OPS_PASSWORD, 200],
      [other, 303],
    ] as const) {
      const variables = { OPS_PORT: '0', OPS_PASSWORD: hash };
      const instance = await startTestService(variables, service.databaseUri);
      const operations = await startOpsListener(instance.service);
      const response = await send(`${operations}/console`, { headers: { cookie: service.cookie } });
      expect(response.status).toBe(status);
      await instance.stop();
    }
  });

  it('ends on all instances when its reader logs out, and only that one', async () => {
    const [cookie, kept] = [await newSession('198.51.100.23'), await newSession('198.51.100.24')];
    const variables = { OPS_PORT: '0', OPS_PASSWORD };
    const other = await startTestService(variables, service.databaseUri);
    const operations = await startOpsListener(other.service);
    const atOther = async () =>
      (await send(`${operations}/console`, { headers: { cookie } })).status;
    expect(await atOther()).toBe(200);
    const token = tokenIn((await service.get('', { cookie })).html);
    const { status, location, headers } = await submit('/logout', { token }, { cookie });
    expect({ status, location }).toEqual({ status: 303, location: '/console/login' });
    expect(headers.getSetCookie()[0]).toMatch(/^console-session=; .*Expires=Thu, 01 Jan 1970/);
    // A copy of the cookie is worthless, too.
    expect(await service.get('', { cookie })).toMatchObject({ status: 303 });
    expect(await atOther()).toBe(303);
    expect(await service.get('', { cookie: kept })).toMatchObject({ status: 200 });
    await other.stop();
  });

  it('is stored as hashes only', async () => {
    const secret = (await newSession('198.51.100.25')).replace('console-session=', '');
    const stored = await service.db.collection('consoleSessions').find().toArray();
    expect(stored.length).toBeGreaterThan(1);
    expect(JSON.stringify(stored)).not.toContain(secret);
  });
});

it('a login from a tab that does not know of the session leads to the page', async () => {
  const { cookie } = service;
  const response = await submit('/login', { password, next: '/log' }, { cookie });
  expect(response).toMatchObject({ status: 303, location: '/console/log' });
  expect(response.headers.getSetCookie()).toEqual([]);
});

describe('a form', () => {
  const logOut = (token: string, headers: object = {}) =>
    submit('/logout', { token }, { cookie: service.cookie, ...headers });

  it('returns 403 without the token of its session', async () => {
    const { html } = await service.get('', { cookie: await newSession('198.51.100.21') });
    for (const token of ['', 'x', tokenIn(html)]) {
      const response = await logOut(token);
      expect(response.status).toBe(403);
      expect(response.headers.getSetCookie()).toEqual([]);
    }
  });

  it('returns 403 when it comes from another website', async () => {
    const foreign = { 'sec-fetch-site': 'cross-site' };
    const token = tokenIn((await service.get('')).html);
    expect((await logOut(token, foreign)).status).toBe(403);
    expect((await logIn('198.51.100.22', {}, foreign)).status).toBe(403);
  });

  it('returns 413 for oversized and 415 for non-form bodies', async () => {
    expect((await logOut('x'.repeat(70_000))).status).toBe(413);
    const headers = { cookie: service.cookie, 'content-type': 'application/json' };
    expect((await send(at('/logout'), { method: 'POST', body: '{}', headers })).status).toBe(415);
  });
});

describe('OPS_PASSWORD', () => {
  it.each([
    'secret',
    'scrypt:1024:8:1:x:y',
    OPS_PASSWORD.replace(':1024:', ':1000000:'),
    OPS_PASSWORD.replace(':1024:', ':1025:'),
  ])('refuses %s', (value) => {
    expect(() => readEnvironment({ OPS_PASSWORD: value })).toThrow(
      'OPS_PASSWORD: must be a line that `npm run cli -- console password` prints',
    );
  });

  it.each(['test', 'production'])('disables the console without it: %s', async (NODE_ENV) => {
    const ENCRYPTION_KEYS = Buffer.alloc(32, 7).toString('base64');
    const without = await startTestService({ NODE_ENV, ENCRYPTION_KEYS, OPS_PORT: '0' });
    const operations = await startOpsListener(without.service);
    for (const path of ['', '/login', '/console.css', '/unknown']) {
      expect(await send(`${operations}/console${path}`)).toMatchObject({ status: 404 });
    }
    expect(await without.service.app.get(OpsListener).loginPath()).toBeNull();
    await without.stop();
  });
});

describe('in development, a link', () => {
  let instance: TestService;
  let operations: string;
  const newLink = async () =>
    `${operations}${await instance.service.app.get(OpsListener).loginPath()}`;

  beforeAll(async () => {
    instance = await startTestService({ NODE_ENV: 'development', OPS_PORT: '0' });
    operations = (await startOpsListener(instance.service)) ?? '';
  });
  afterAll(() => instance.stop());

  it('logs in once', async () => {
    const link = await newLink();
    const opened = await Promise.all(Array.from({ length: 5 }, () => send(link)));
    expect(opened.map(({ status }) => status).toSorted()).toEqual([303, 401, 401, 401, 401]);
    const used = opened.find(({ status }) => status === 303);
    if (used === undefined) throw new Error('No request logged in.');
    const { location, headers } = used;
    expect(location).toBe('/console');
    const cookie = headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const page = await send(`${operations}/console`, { headers: { cookie } });
    expect(page).toMatchObject({ status: 200 });
    expect(page.html).toContain('Needs attention');
  });

  it('is not used up by programs that only look at it', async () => {
    const link = await newLink();
    await send(link, { method: 'HEAD' });
    expect(await send(link)).toMatchObject({ status: 303 });
  });

  it('is never logged', async () => {
    const link = await newLink();
    await send(link);
    expect(instance.logged()).toContain('by link succeeded');
    expect(instance.logged()).not.toContain(link.split('link=')[1] ?? '');
  });

  it('works for ten minutes', async () => {
    const [early, late] = [await newLink(), await newLink()];
    const clock = jest.spyOn(instance.service.app.get(Clock), 'now');
    const now = Date.now();
    clock.mockImplementation(() => new Date(now + 590_000));
    expect(await send(early)).toMatchObject({ status: 303 });
    clock.mockImplementation(() => new Date(now + 601_000));
    const { status, html } = await send(late);
    expect(status).toBe(401);
    expect(html).toContain('older than ten minutes');
  });

  it('is the only way in: there is no password', async () => {
    const { html } = await send(`${operations}/console/login`);
    expect(html).not.toContain('type="password"');
    const body = new URLSearchParams({ password: '' });
    expect(await send(`${operations}/console/login`, { method: 'POST', body })).toMatchObject({
      status: 401,
    });
  });
});

describe('a console page', () => {
  it('loads nothing from other sites and runs no inline scripts', async () => {
    const { html, headers } = await service.get('');
    expect(html).toMatch(/^<!doctype html><html lang="en">.*<h1[^>]*>Overview<\/h1>/s);
    expect(html).not.toMatch(/ style=| on\w+=|<style|<script(?! src="\/console\/)|javascript:/i);
    expect(headers.get('content-security-policy')).toMatch(/default-src 'none'.*script-src 'self'/);
    expect(headers.get('cache-control')).toBe('no-store');
  });
});

/** This test is the last one, because it uses up all login attempts. */
it('the login accepts fifty attempts from all addresses without delaying other pages', async () => {
  setTime(Date.now() + 600_000);
  const attempts = Array.from({ length: 80 }, (_, index) =>
    logIn(`203.0.113.${index}`, { password: 'wrong' }).then(({ status }) => status),
  );
  expect((await service.get('')).status).toBe(200);
  const statuses = await Promise.all(attempts);
  expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(50);
  expect(new Set(statuses)).toEqual(new Set([401, 429]));
});
