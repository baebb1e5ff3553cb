import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ensureDemoOrganization } from '../../src/development/demo/demo-organization.js';
import { randomDatabaseUri, startTestService, type TestService } from '../support/test-service.js';
import { pictures, startBrowser, type TestBrowser } from './test-browser.js';

/** The part of an element that the tests use, because the DOM types are not loaded. */
interface Clickable {
  click(): void;
}

const started = await startBrowser();
const describeWithBrowser = started === null ? describe.skip : describe;

let service: TestService;
let key: string;
// The tests are skipped without a browser, so the empty object is never used.
const { page, problems } = started ?? ({} as TestBrowser);
const failed: string[] = [];
const sent: Record<string, string>[] = [];

beforeAll(async () => {
  if (started === null) return;
  service = await startTestService({}, randomDatabaseUri());
  key = (await ensureDemoOrganization(service.service.app))?.keys?.get('everything') ?? '';
  page.on('request', (request) => {
    if (request.url().includes('/external/apis/')) sent.push(request.headers());
  });
  page.on('requestfailed', (request) => failed.push(request.url()));
  await page.setViewport({ width: 1280, height: 900 });
  await page.goto(`${service.url}/docs`);
  await page.waitForSelector('.opblock-tag');
});
afterAll(async () => {
  if (started === null) return;
  await started.close();
  await service.stop();
});

const takeScreenshot = (name: string, fullPage = false) =>
  page.screenshot({ path: `${pictures}/${name}.png`, fullPage });

/** Clicks without scrolling to the element, which is slow on a page of this size. */
const click = (selector: string) =>
  page.$eval(selector, (element) => (element as unknown as Clickable).click());

/** Lists the operations that readers can try, in page order. Webhooks cannot be tried. */
const operations = () =>
  page.$$eval('[id^="operations-"].opblock', (blocks) =>
    blocks.map(({ id }) => id).filter((id) => !id.startsWith('operations-webhooks-')),
  );

async function open(operation: string): Promise<void> {
  if ((await page.$(`#${operation}.is-open`)) === null) {
    await click(`#${operation} .opblock-summary-control`);
  }
  await page.waitForSelector(`#${operation} .try-out__btn`);
  if ((await page.$(`#${operation} .execute`)) === null) await click(`#${operation} .try-out__btn`);
  await page.waitForSelector(`#${operation} .execute`);
}

/** Sends the request with its current values. Returns the status, and for an error also the body. */
async function execute(operation: string): Promise<string> {
  const [response] = await Promise.all([
    page.waitForResponse((one) => one.url().includes('/external/apis/')),
    click(`#${operation} .execute`),
  ]);
  await page.waitForSelector(`#${operation} .live-responses-table`);
  // For a revalidated response, the page shows the cached one with 200.
  if (response.status() === 304) return '200';
  return response.ok()
    ? String(response.status())
    : `${response.status()} ${await response.text()}`;
}

async function executeAll(): Promise<Record<string, string>> {
  const statuses: Record<string, string> = {};
  for (const operation of await operations()) {
    await open(operation);
    statuses[operation.replace(/^operations-\w+-/, '')] = await execute(operation);
    // The page redraws every open operation on each change, so this one is closed.
    await click(`#${operation} .opblock-summary-control`);
    await page.waitForSelector(`#${operation}:not(.is-open)`);
  }
  return statuses;
}

describeWithBrowser('the reference in a browser', () => {
  it('focuses the field for the API key', async () => {
    await takeScreenshot('top');
    await click('.btn.authorize');
    await page.waitForSelector('.modal-ux input');
    expect(await page.$$eval('.modal-ux input', (fields) => fields.length)).toBe(1);
    await page.waitForFunction(`document.activeElement?.id === 'api_key_value'`);
    await page.keyboard.type(key);
    await page.keyboard.press('Enter');
    await page.waitForSelector('.btn-done');
    await click('.btn-done');
  });

  it('runs every operation with its examples twice', async () => {
    const first = await executeAll();
    expect(first).toEqual({
      upsertLead: '201',
      listLeads: '200',
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
    expect(await executeAll()).toEqual({ ...first, upsertUnit: '200' });
    expect([...problems, ...failed]).toEqual([]);
    const optional = ['idempotency-key', 'x-request-id'];
    expect(sent.filter((headers) => optional.some((name) => name in headers))).toEqual([]);
  });

  it('fits a phone without horizontal scrolling', async () => {
    const show = async (operation: string, part: string, name: string) => {
      await open(operation);
      await page.$eval(`#${operation}${part}`, (element) => element.scrollIntoView());
      await takeScreenshot(name);
    };
    const reload = async () => {
      await page.reload();
      await page.waitForSelector('.opblock-tag');
    };
    await show('operations-Reservations-reportReservationChange', '', 'endpoint');
    await show('operations-Leads-readLead', ' .live-responses-table', 'response');
    await reload();
    await takeScreenshot('page', true);
    await page.setViewport({ width: 390, height: 844, isMobile: true, deviceScaleFactor: 2 });
    await reload();
    await takeScreenshot('phone');
    await show('operations-Leads-upsertLead', '', 'phone-endpoint');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  });
});
