import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ensureDemoOrganization } from '../../src/development/demo/demo-organization.js';
import { randomDatabaseUri, startTestService, type TestService } from '../support/test-service.js';
import { axeFindings } from './page-checks.js';
import { pictures, startBrowser, type TestBrowser } from './test-browser.js';

/** The parts of elements that the tests use, because the DOM types are not loaded. */
interface Clickable {
  click(): void;
  readonly textContent: string;
}

interface OperationObject {
  readonly operationId: string;
  readonly tags: readonly string[];
}

const started = await startBrowser();
const describeWithBrowser = started === null ? describe.skip : describe;

let service: TestService;
let key: string;
// The tests are skipped without a browser, so the empty object is never used.
const { page, problems } = started ?? ({} as TestBrowser);
const failed: string[] = [];
const elsewhere: string[] = [];
const sent: Record<string, string>[] = [];

beforeAll(async () => {
  if (started === null) return;
  service = await startTestService({}, randomDatabaseUri());
  key = (await ensureDemoOrganization(service.service.app))?.keys?.get('everything') ?? '';
  page.on('request', (request) => {
    if (request.url().includes('/external/apis/')) sent.push(request.headers());
    if (!request.url().startsWith(service.url)) elsewhere.push(request.url());
  });
  page.on('requestfailed', (request) => failed.push(request.url()));
  await setAppearance(1_280, 'light');
  await page.goto(`${service.url}/docs`);
  await page.waitForSelector('input[placeholder="iapi_…"]');
});
afterAll(async () => {
  if (started === null) return;
  await started.close();
  await service.stop();
});

const takeScreenshot = (name: string) => page.screenshot({ path: `${pictures}/${name}.png` });

async function setAppearance(width: number, scheme: string): Promise<void> {
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
  await page.setViewport({ width, height: 900 });
}

/** Clicks without scrolling to the element, which is slow on a page of this size. */
const click = (selector: string) =>
  page.$eval(selector, (element) => (element as unknown as Clickable).click());

const { paths } = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as {
  readonly paths: Record<string, Record<string, OperationObject>>;
};
/** The operations in the order of the page. */
const operations = Object.entries(paths).flatMap(([path, item]) =>
  Object.entries(item).map(
    ([
      method,
      {
        operationId,
        tags: [tag = ''],
      },
    ]) => ({
      operationId,
      method,
      path,
      hash: `tag/${tag.toLowerCase()}/${operationId}`,
    }),
  ),
);

function operationOf(operationId: string) {
  const operation = operations.find((one) => one.operationId === operationId);
  if (operation === undefined) throw new Error(`There is no operation ${operationId}`);
  return operation;
}

async function show(operation: string): Promise<string> {
  const { hash } = operationOf(operation);
  const selector = `[id="api-1/${hash}"]`;
  await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
  await page.waitForSelector(`${selector} .show-api-client-button`);
  return selector;
}

async function openClient(operation: string): Promise<void> {
  const selector = await show(operation);
  await click(`${selector} .show-api-client-button`);
  const { method, path } = operationOf(operation);
  const label = `${method} request to ${service.url}${path}`;
  await page.waitForFunction(
    `[...document.querySelectorAll('.scalar-client--open button')].some(({ textContent }) => textContent.includes(${JSON.stringify(label)}))`,
  );
  await endOfAnimations();
}

/** A dialog that fades in has less contrast than it will have. */
async function endOfAnimations(): Promise<void> {
  await page.evaluate(`Promise.allSettled(
    document.getAnimations()
      .filter(({ effect }) => Number.isFinite(effect.getComputedTiming().endTime))
      .map(({ finished }) => finished),
  ).then(() => undefined)`);
}

async function closeClient(): Promise<void> {
  await click('.scalar-client--open .app-exit-button');
  await page.waitForFunction(`document.querySelector('.scalar-client--open') === null`);
}

/** Sends the example of the operation. Returns the status, and for an error also the body. */
async function execute(operation: string): Promise<string> {
  await openClient(operation);
  const [response] = await Promise.all([
    page.waitForResponse((one) => one.url().includes('/external/apis/')),
    page.$$eval('.scalar-client--open button', (buttons) => {
      const all = buttons as unknown as Clickable[];
      all.find(({ textContent }) => textContent.trim().startsWith('Send'))?.click();
    }),
  ]);
  const text = response.status() === 304 ? '' : await response.text();
  await closeClient();
  // For a revalidated response, the page shows the cached one with 200.
  if (response.status() === 304) return '200';
  return response.ok() ? String(response.status()) : `${response.status()} ${text}`;
}

async function executeAll(): Promise<Record<string, string>> {
  const statuses: Record<string, string> = {};
  for (const { operationId } of operations) statuses[operationId] = await execute(operationId);
  return statuses;
}

/** Reads the sample that the page shows, in the language that the reader has chosen before. */
async function sampleOf(operation: string, client: string): Promise<string> {
  await page.evaluate(
    `localStorage.setItem('scalar-reference-selected-client-v2', ${JSON.stringify(client)})`,
  );
  await page.reload();
  const selector = await show(operation);
  await page.waitForSelector(`${selector} pre code`);
  return page.$eval(`${selector} pre code`, ({ textContent }) => textContent);
}

/** The project's own curl, Python and so on may miss parts, so each has a check. */
const runners = {
  'shell/curl': { check: ['curl', '--version'], command: ['sh', '-c'], prefix: '', suffix: '' },
  'php/curl': {
    check: ['php', '-r', 'curl_version();'],
    command: ['php', '-r'],
    prefix: '',
    suffix: '',
  },
  'node/fetch': {
    check: ['node', '--version'],
    command: ['node', '--input-type=module', '-e'],
    prefix: 'const response = await ',
    suffix: '; console.log(await response.text());',
  },
  'python/python3': {
    check: ['python3', '--version'],
    command: ['python3', '-c'],
    prefix: '',
    suffix: '',
  },
} as const;

const isInstalled = ([file = '', ...args]: readonly string[]) => spawnSync(file, args).status === 0;

/** Waits without blocking, because the service runs in this process. */
function run([file = '', ...args]: readonly string[], program: string): Promise<string> {
  return new Promise((resolve) => {
    execFile(file, [...args, program], (_error, stdout, stderr) => resolve(stdout || stderr));
  });
}

describeWithBrowser('the reference in a browser', () => {
  it('takes a key once, and runs every operation with its examples twice', async () => {
    await takeScreenshot('top');
    await page.focus('input[placeholder="iapi_…"]');
    await page.keyboard.type(key);
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
      listReservations: '200',
      listCheques: '200',
      readKey: '200',
      checkHealth: '200',
    });
    expect(await executeAll()).toEqual({ ...first, upsertUnit: '200' });
    expect([...problems, ...failed, ...elsewhere]).toEqual([]);
    const optional = ['idempotency-key', 'x-request-id'];
    expect(sent.filter((headers) => optional.some((name) => name in headers))).toEqual([]);
    // On a busy machine, an operation takes up to ten seconds.
  }, 900_000);

  it.each(Object.entries(runners))('shows samples for %s that run', async (client, runner) => {
    const { check, command, prefix, suffix } = runner;
    for (const operation of ['upsertLead', 'readLead']) {
      const sample = await sampleOf(operation, client);
      expect(sample).toContain(key);
      if (!isInstalled(check)) {
        process.stderr.write(`The samples for ${client} are not tested: install ${check[0]}\n`);
        continue;
      }
      const printed = await run(command, prefix + sample.trim() + suffix);
      expect(printed).toContain('"recordSystemId":"website-form-7-4711"');
    }
  });

  it('passes axe on a desktop and a phone, light and dark', async () => {
    const findings: string[] = [];
    for (const width of [1_280, 390]) {
      for (const scheme of ['light', 'dark']) {
        await setAppearance(width, scheme);
        await page.reload();
        await page.waitForSelector('input[placeholder="iapi_…"]');
        await show('upsertLead');
        await takeScreenshot(`reference-${width}-${scheme}`);
        findings.push(...(await axeFindings(page)));
        await openClient('upsertLead');
        await takeScreenshot(`reference-client-${width}-${scheme}`);
        findings.push(...(await axeFindings(page)));
        await closeClient();
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      }
    }
    expect(findings).toEqual([]);
  });
});
