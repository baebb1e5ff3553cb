import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { logIn, password, send, startConsole, type TestConsole } from './console-client.js';

let service: TestConsole;
beforeAll(async () => {
  service = await startConsole();
});
afterAll(() => service.stop());

const at = (path: string) => `${service.operations}/console${path}`;

describe('nobody without a session', () => {
  const paths = ['', '/', '/unknown', '/unknown/deeper', '/console.js'];

  it.each(paths)('gets anything but the login at %s', async (path) => {
    const response = await send(at(path));
    expect(response).toMatchObject({ status: 303, html: '' });
    expect(response.location).toMatch(/^\/console\/login(\?next=%2F[\w%.]+)?$/);
  });

  it.each(['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD'])(
    '%s does nothing',
    async (method) => {
      for (const path of ['', '/unknown', '/logout']) {
        const response = await send(at(path), { method });
        expect({ path, ...response }).toMatchObject({ status: 303, location: '/console/login' });
      }
    },
  );

  it.each(['console-session=x', 'console-session=id.99999999999999', 'console-session=id.1.2'])(
    'has one by making up a cookie: %s',
    async (cookie) => {
      expect(await send(at(''), { headers: { cookie } })).toMatchObject({ status: 303 });
    },
  );
});

describe('the login', () => {
  it('gives a cookie that scripts do not see and other websites do not send', async () => {
    const body = new URLSearchParams({ password, next: '/unknown?x=1' });
    const { status, headers, location } = await send(at('/login'), { method: 'POST', body });
    expect({ status, location }).toEqual({ status: 303, location: '/console/unknown?x=1' });
    expect(headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^console-session=[^;]+; Max-Age=28800; Path=\/console; HttpOnly; SameSite=Strict$/,
      ),
    ]);
  });
});

describe('a page', () => {
  it('is there for whoever is logged in, loads nothing from elsewhere and runs nothing inline', async () => {
    const { status, html, headers } = await service.get('');
    expect(status).toBe(200);
    expect(html).toMatch(/^<!doctype html><html lang="en" dir="ltr">/);
    expect(html).toContain('<h1>Overview</h1>');
    expect(html).not.toMatch(/ style=| on\w+=|<style|<script(?! src="\/console\/)|javascript:/i);
    expect(headers.get('content-security-policy')).toMatch(/default-src 'none'.*script-src 'self'/);
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it('is in Arabic, from right to left, and stays so', async () => {
    const { html, headers } = await service.get('?language=ar-eg');
    expect(html).toMatch(/<html lang="ar" dir="rtl">/);
    expect(html).toContain('<h1>نظرة عامة</h1>');
    expect(headers.getSetCookie()).toEqual([expect.stringMatching(/^console-language=ar-eg;/)]);
  });

  it('that does not exist is a 404 with the menu', async () => {
    const { status, html } = await service.get('/unknown');
    expect(status).toBe(404);
    expect(html).toContain('<nav');
  });
});

it('the end of a session is the end of its cookie', async () => {
  expect(await logIn(service.operations)).not.toBe('');
  const { status, location, headers } = await service.post('/logout');
  expect({ status, location }).toEqual({ status: 303, location: '/console/login' });
  expect(headers.getSetCookie()[0]).toMatch(/^console-session=; .*Expires=Thu, 01 Jan 1970/);
});
