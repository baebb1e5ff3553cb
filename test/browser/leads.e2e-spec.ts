import { readFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { addKey } from '../support/builders.js';
import { basePath } from '../support/shared-service.js';
import type { TenantApi } from '../support/tenant-api.js';
import { randomDatabaseUri, startTestService, type TestService } from '../support/test-service.js';
import { startBrowser, type TestBrowser } from './test-browser.js';

const started = await startBrowser();
const describeWithBrowser = started === null ? describe.skip : describe;

interface Website {
  readonly server: Server;
  readonly origin: string;
}

/** The parts of an element that the tests use, because the DOM types are not loaded. */
interface Element {
  value: string;
  disabled: boolean;
  requestSubmit(): void;
}

let service: TestService;
let tenant: TenantApi;
let key: string;
let website: Website;
let otherWebsite: Website;
let unknownWebsite: Website;
// The tests are skipped without a browser, so the empty object is never used.
const { page, problems } = started ?? ({} as TestBrowser);

/** Serves the guide's forms with the URL of the service and a key, as a website on an origin of its own. */
async function startWebsite(keyOf: () => string): Promise<Website> {
  const server = createServer(({ url }, response) => {
    const file = url === '/ar' ? 'browser-form-ar.html' : 'browser-form.html';
    const html = readFileSync(`docs/guides/programs/${file}`, 'utf8')
      .replace('https://api.example.com', service.url)
      .replace('iapi_…', keyOf());
    response.setHeader('content-type', 'text/html; charset=utf-8').end(html);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const newKey = (permissions: object, fields: object = {}) =>
  tenant.add(addKey, { permissions: { allowExternal: true, ...permissions }, ...fields });

beforeAll(async () => {
  if (started === null) return;
  service = await startTestService({}, randomDatabaseUri());
  tenant = await service.addTenant();
  website = await startWebsite(() => key);
  otherWebsite = await startWebsite(() => key);
  unknownWebsite = await startWebsite(() => key);
  const operations = ['leads.write'];
  key = await newKey({ operations, origins: [website.origin] });
  await newKey({ operations, origins: [otherWebsite.origin] });
});
afterAll(async () => {
  if (started === null) return;
  await started.close();
  for (const { server } of [website, otherWebsite, unknownWebsite]) server.close();
  await service.stop();
});
beforeEach(() => void (problems as string[]).splice(0));

const fill = (name: string, value: string) =>
  page.$eval(
    `[name=${name}]`,
    (field, text) => ((field as unknown as Element).value = text),
    value,
  );
const submit = () => page.$eval('form', (form) => (form as unknown as Element).requestSubmit());
/** Waits for the text that the visitor sees. */
const shown = async () => {
  const selector = '[role=status]:not(:empty)';
  await page.waitForSelector(selector);
  return page.$eval(selector, ({ textContent }) => textContent);
};
const hideMessage = () => page.$eval('[role=status]', (field) => (field.textContent = ''));

/** Sends a request by the page's own `fetch`, and returns what its scripts can read. */
const fetchInPage = (path: string, method: string, headers: object, body: object | null) =>
  page.evaluate(`(async () => {
    try {
      const response = await fetch('${service.url}/${basePath}${path}', {
        method: '${method}',
        headers: ${JSON.stringify({ 'content-type': 'application/json', ...headers })},
        body: ${body === null ? 'undefined' : JSON.stringify(JSON.stringify(body))},
      });
      const names = ['x-request-id', 'x-error-code', 'x-ignored-fields'];
      const read = names.map((name) => [name, response.headers.get(name)]);
      return { status: response.status, body: await response.json(), ...Object.fromEntries(read) };
    } catch (error) {
      return String(error);
    }
  })()`) as Promise<object | string>;

const unreadable = 'TypeError: Failed to fetch';

describeWithBrowser('a form that sends leads from a page', () => {
  it.each([
    ['/', 'Thank you', 'Mona'],
    ['/ar', 'شكرًا لك', 'منى'],
  ])('stores one lead even when it is sent twice: %s', async (path, thanks, name) => {
    await page.goto(website.origin + path);
    await fill('name', name);
    await fill('phone', path === '/' ? '01001112223' : '٠١٠٠١١١٢٢٢٤');
    const ids: unknown[] = [];
    const note = ({ lead }: { readonly lead?: { readonly recordSystemId: string } }) =>
      ids.push(lead?.recordSystemId);
    for (const _ of ['first', 'second']) {
      const [response] = await Promise.all([
        page.waitForResponse((one) => one.request().method() === 'POST'),
        submit(),
      ]);
      note((await response.json()) as never);
      expect(await shown()).toBe(thanks);
      await hideMessage();
    }
    expect(ids[0]).toMatch(/^[\da-f-]{36}$/);
    expect(ids[1]).toBe(ids[0]);
    expect(await tenant.count('leads', { 'data.name': name })).toBe(1);
    expect(problems).toEqual([]);
  });

  it('shows what the visitor must correct, in the language of the page', async () => {
    await page.goto(`${website.origin}/ar`);
    await fill('name', 'منى');
    await fill('phone', '0'.repeat(100));
    await submit();
    expect(await shown()).toMatch(/^[^a-z]*phoneNumber[^a-z]*$/);
    await fill('phone', '01001112225');
    await hideMessage();
    await submit();
    expect(await shown()).toBe('شكرًا لك');
  });

  it('thanks a person whose phone is known', async () => {
    await tenant.post('/leads', { name: 'Known', phoneNumber: '01001112226' }).expect(201);
    await page.goto(website.origin);
    await fill('name', 'Another');
    await fill('phone', '01001112226');
    await submit();
    expect(await shown()).toBe('Thank you');
    expect(await tenant.count('leads', { 'data.name': 'Another' })).toBe(0);
  });

  it('sends nothing when a program fills the hidden field', async () => {
    await page.goto(website.origin);
    for (const name of ['name', 'phone', 'website']) await fill(name, 'program');
    await submit();
    expect(await shown()).toBe('Thank you');
    expect(await tenant.count('leads', { 'data.name': 'program' })).toBe(0);
    const box = await (await page.$('.extra'))?.boundingBox();
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThan(0);
  });

  it.each([
    ['that no key names', () => unknownWebsite],
    ['that another key names', () => otherWebsite],
  ])('fails on an origin %s, and stores nothing', async (_, websiteOf) => {
    const before = await tenant.count('leads');
    await page.goto(websiteOf().origin);
    await fill('name', 'Elsewhere');
    await fill('phone', '01001112227');
    await submit();
    expect(await shown()).toBe('Please try again later');
    expect(await tenant.count('leads')).toBe(before);
  });
});

describeWithBrowser('a page', () => {
  it('of a permitted origin can read the names of ignored fields and the errors', async () => {
    await page.goto(website.origin);
    const headers = { 'api-key': key, 'idempotency-key': 'once', 'x-request-id': 'from-a-page' };
    const ignored = await fetchInPage('/leads', 'POST', headers, { name: 'A', fullName: 'A' });
    expect(ignored).toMatchObject({
      status: 201,
      'x-ignored-fields': 'fullName',
      'x-request-id': 'from-a-page',
    });
    const batch = { leads: [{ name: 'B' }, { email: 'wrong' }] };
    expect(await fetchInPage('/leads/batch', 'POST', { 'api-key': key }, batch)).toMatchObject({
      status: 200,
      body: { created: 1, refused: 1 },
    });
    const limited = await newKey(
      { operations: ['leads.write'], origins: [website.origin] },
      { rateLimit: { rps: 1, burst: 1 } },
    );
    await fetchInPage('/leads', 'POST', { 'api-key': limited }, { name: 'C' });
    for (const [own, status, code] of [
      [{ 'api-key': 'unknown' }, 401, 'key.invalid'],
      [{ 'api-key': limited }, 429, 'request.rate_limited'],
      [{ 'api-key': key, 'content-type': 'text/plain' }, 415, 'request.unsupported_media_type'],
    ] as const) {
      const read = await fetchInPage('/leads', 'POST', own, { name: 'D' });
      expect(read).toMatchObject({ status, 'x-error-code': code });
    }
  });

  it('of another key’s origin can read why it is refused', async () => {
    await page.goto(otherWebsite.origin);
    const read = await fetchInPage('/leads', 'POST', { 'api-key': key }, { name: 'E' });
    expect(read).toMatchObject({
      status: 403,
      'x-error-code': 'authentication.origin_not_permitted',
      body: { message: 'This API key may not be used from this origin' },
    });
  });

  it('can read nothing, with any key, from other endpoints or an unknown origin', async () => {
    const everything = tenant.key;
    await page.goto(website.origin);
    expect(await fetchInPage('/units', 'GET', { 'api-key': everything }, null)).toBe(unreadable);
    expect(await fetchInPage('/leads/x', 'GET', { 'api-key': key }, null)).toBe(unreadable);
    expect(await fetchInPage('/leads/x', 'DELETE', { 'api-key': key }, null)).toBe(unreadable);
    expect(await fetchInPage('/leads', 'POST', { 'api-key': everything }, {})).toBe(unreadable);
    await page.goto(unknownWebsite.origin);
    expect(await fetchInPage('/leads', 'POST', { 'api-key': key }, {})).toBe(unreadable);
  });
});
