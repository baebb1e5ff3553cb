import { mkdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'puppeteer-core';
import { ensureDemoOrganization } from '../../src/development/demo/demo-organization.js';
import { randomDatabaseUri, startTestService, type TestService } from '../support/test-service.js';
import { startBrowser, type TestBrowser } from './support/browser.js';

/** Where the pictures of the page are left. */
const pictures = '.screenshots';

/** The part of an element that the tests use: the types of the DOM are not loaded. */
interface Clickable {
  click(): void;
}

const started = await startBrowser();
const describeWithBrowser = started === null ? describe.skip : describe;

let service: TestService;
let key: string;
let page: Page;
let problems: string[];
/** The headers of what the page has sent to the API. */
const sent: Record<string, string>[] = [];

async function openPage({ browser }: TestBrowser): Promise<Page> {
  const opened = await browser.newPage();
  opened.setDefaultTimeout(120_000);
  await opened.setViewport({ width: 1280, height: 900 });
  opened.on('console', (message) => {
    if (['error', 'warn'].includes(message.type())) problems.push(message.text());
  });
  opened.on('pageerror', (error) => problems.push(String(error)));
  opened.on('request', (request) => {
    if (request.url().includes('/external/apis/')) sent.push(request.headers());
  });
  opened.on('requestfailed', (request) => problems.push(`failed: ${request.url()}`));
  await opened.goto(`${service.url}/docs`);
  await opened.waitForSelector('.opblock-tag');
  return opened;
}

beforeAll(async () => {
  if (started === null) return;
  mkdirSync(pictures, { recursive: true });
  service = await startTestService({}, randomDatabaseUri());
  key = (await ensureDemoOrganization(service.service.app))?.keys?.get('everything') ?? '';
  problems = [];
  page = await openPage(started);
});
afterAll(async () => {
  if (started === null) return;
  await started.close();
  await service.stop();
});

const shoot = (name: string, fullPage = false) =>
  page.screenshot({ path: `${pictures}/${name}.png`, fullPage });

/** Clicks without waiting for the element to be in view, which takes long on a page of this size. */
const press = (selector: string) =>
  page.$eval(selector, (element) => (element as unknown as Clickable).click());

/** Operations that can be tried, in the order of the page; webhooks cannot. */
const operations = () =>
  page.$$eval('[id^="operations-"].opblock', (blocks) =>
    blocks.map(({ id }) => id).filter((id) => !id.startsWith('operations-webhooks-')),
  );

async function open(operation: string): Promise<void> {
  if ((await page.$(`#${operation}.is-open`)) === null) {
    await press(`#${operation} .opblock-summary-control`);
  }
  await page.waitForSelector(`#${operation} .try-out__btn`);
  if ((await page.$(`#${operation} .execute`)) === null) await press(`#${operation} .try-out__btn`);
  await page.waitForSelector(`#${operation} .execute`);
}

/** Sends the request as it stands there; gives the status and, of an error, the body. */
async function execute(operation: string): Promise<string> {
  const [response] = await Promise.all([
    page.waitForResponse((one) => one.url().includes('/external/apis/')),
    press(`#${operation} .execute`),
  ]);
  await page.waitForSelector(`#${operation} .live-responses-table`);
  // The page gets 200 for a revalidated response, too.
  if (response.status() === 304) return '200';
  return response.ok()
    ? String(response.status())
    : `${response.status()} ${await response.text()}`;
}

async function pressAll(): Promise<Record<string, string>> {
  const statuses: Record<string, string> = {};
  for (const operation of await operations()) {
    await open(operation);
    statuses[operation.replace(/^operations-\w+-/, '')] = await execute(operation);
    // Each open one is drawn again whenever something changes.
    await press(`#${operation} .opblock-summary-control`);
    await page.waitForSelector(`#${operation}:not(.is-open)`);
  }
  return statuses;
}

describeWithBrowser('the reference in a browser', () => {
  it('focuses the field for the API key', async () => {
    await shoot('top');
    await press('.btn.authorize');
    await page.waitForSelector('.modal-ux input');
    expect(await page.$$eval('.modal-ux input', (fields) => fields.length)).toBe(1);
    await page.waitForFunction(`document.activeElement?.id === 'api_key_value'`);
    await page.keyboard.type(key);
    await page.keyboard.press('Enter');
    await page.waitForSelector('.btn-done');
    await press('.btn-done');
  });

  it('runs every operation with its examples twice', async () => {
    const first = await pressAll();
    expect(first).toEqual({
      upsertLead: '201',
      findLead: '200',
      readLead: '200',
      deleteLead: '200',
      upsertReservation: '201',
      readReservation: '200',
      reportReservationChange: '201',
      reconcileCheques: '200',
      upsertLeads: '200',
      listCompounds: '200',
      listCompoundUnits: '200',
      upsertUnit: '201',
      listUnits: '200',
      exportUnits: '200',
      readUnit: '200',
      readEvents: '200',
      checkHealth: '200',
    });
    expect(await pressAll()).toEqual({ ...first, upsertUnit: '200' });
    expect(problems).toEqual([]);
    const optional = sent.filter(
      (headers) => 'idempotency-key' in headers || 'x-request-id' in headers,
    );
    expect(optional).toEqual([]);
  });

  it('takes screenshots of the page', async () => {
    await open('operations-Reservations-reportReservationChange');
    await page.$eval('#operations-Reservations-reportReservationChange', (e) => e.scrollIntoView());
    await shoot('endpoint');
    await open('operations-Leads-readLead');
    await page.$eval('#operations-Leads-readLead .live-responses-table', (e) => e.scrollIntoView());
    await shoot('response');
    await page.reload();
    await page.waitForSelector('.opblock-tag');
    await shoot('page', true);
    await page.setViewport({ width: 390, height: 844, isMobile: true, deviceScaleFactor: 2 });
    await page.reload();
    await page.waitForSelector('.opblock-tag');
    await shoot('phone');
    await open('operations-Leads-upsertLead');
    await page.$eval('#operations-Leads-upsertLead', (e) => e.scrollIntoView());
    await shoot('phone-endpoint');
    const width = await page.evaluate('document.documentElement.scrollWidth');
    expect(width).toBe(390);
  });
});
