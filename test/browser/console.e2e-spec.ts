import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AxeResults } from 'axe-core';
import type { Page } from 'puppeteer-core';
import { password, startConsole, type TestConsole } from '../console/console-client.js';
import { addSample, type SamplePages } from '../console/sample-records.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { randomDatabaseUri } from '../support/test-service.js';
import { toLoopback } from '../webhooks/webhook-service.js';
import { startBrowser } from './support/browser.js';
import { type Focused, focusable, focused } from './support/focus.js';
import { tooWide } from './support/too-wide.js';

/** Where the pictures of the pages are left. */
const pictures = '.screenshots';
const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const widths = { desktop: 1_280, phone: 360 };

const started = await startBrowser();
const describeWithBrowser = started === null ? describe.skip : describe;

let service: TestConsole;
let receiver: Receiver;
let sample: SamplePages;
let page: Page;
let problems: string[];

beforeAll(async () => {
  if (started === null) return;
  mkdirSync(pictures, { recursive: true });
  receiver = await startReceiver();
  service = await startConsole({ ROLE: 'all', ...toLoopback }, randomDatabaseUri());
  sample = await addSample(service, receiver);
  problems = [];
  page = await started.browser.newPage();
  page.setDefaultTimeout(120_000);
  page.on('console', (message) => {
    if (['error', 'warn'].includes(message.type())) problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(String(error)));
  // The pages forbid what is not theirs; the checker is the test's.
  await page.setBypassCSP(true);
});
afterAll(async () => {
  if (started === null) return;
  await started.close();
  await service.stop();
  await receiver.stop();
});

const problemsOfPage = async (): Promise<string[]> => {
  await page.addScriptTag({ path: axe });
  const results = (await page.evaluate('axe.run()')) as AxeResults;
  return results.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
};

const open = (path: string) => page.goto(`${service.operations}/console${path}`);

/** A picture of the whole page; what is beyond the window would be moved in pages from right to left. */
async function shoot(name: string, width: number): Promise<void> {
  const height = Number(await page.evaluate('document.documentElement.scrollHeight'));
  await page.setViewport({ width, height });
  await page.screenshot({ path: `${pictures}/console-${name}.png`, captureBeyondViewport: false });
  await page.setViewport({ width, height: 900 });
}

/** Presses a button by keyboard, and waits for the page that it leads to. */
async function press(selector: string): Promise<void> {
  await page.focus(selector);
  await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
}

async function search(reference: string): Promise<void> {
  await open('/search');
  await page.type('#reference', reference);
  await press('main .search button');
}

/** Every page, and what its forms lead to. */
const looks: Readonly<Record<string, () => Promise<unknown>>> = {
  overview: () => open(''),
  'overview-by-hour': () => open('?by=hour'),
  partners: () => open('/partners'),
  partner: () => open(sample.partner),
  catalogue: () => open(`/catalogue?org=${sample.organization}`),
  search: () => open('/search'),
  'search-none': () => search('nobody'),
  'search-found': () => search('palm-villa'),
  lead: () => open(sample.lead),
  'lead-shown': async () => {
    await open(sample.lead);
    await press('form[action$="/show"] button');
  },
  reservation: () => open(sample.reservation),
  unit: () => open(sample.unit),
  webhooks: () => open('/webhooks'),
  endpoint: () => open(sample.endpoint),
  'endpoint-ended': () => open(sample.endedEndpoint),
  confirmation: async () => {
    await open(sample.endpoint);
    await page.$eval('#since', (field) =>
      Object.assign(field, { value: new Date(Date.now() - 86_400_000).toISOString().slice(0, 16) }),
    );
    await press('main form.search button');
  },
  delivery: () => open(sample.delivery),
  'delivery-shown': async () => {
    await open(sample.delivery);
    await press('form[action$="/show"] button');
  },
  'operator-log': () => open('/log'),
  'not-there': () => open('/webhooks/nonsense'),
};

describeWithBrowser('the console', () => {
  it.each([
    ['en-us', 'desktop'],
    ['en-us', 'phone'],
    ['ar-eg', 'desktop'],
    ['ar-eg', 'phone'],
  ] as const)('lets a reader in by the password: %s, %s', async (language, width) => {
    const context = page.browserContext();
    await context.deleteCookie(...(await context.cookies()));
    await page.setViewport({ width: widths[width], height: 800 });
    await open(`/login?language=${language}`);
    await shoot(`login-${language}-${width}`, widths[width]);
    const found = { axe: await problemsOfPage(), wide: await page.evaluate(tooWide) };
    expect(found).toEqual({ axe: [], wide: [] });
    await page.type('#password', password);
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
    expect(new URL(page.url()).pathname).toBe('/console');
    expect(problems).toEqual([]);
  });

  it.each([
    ['en-us', 'desktop', 'light'],
    ['en-us', 'phone', 'light'],
    ['ar-eg', 'desktop', 'light'],
    ['ar-eg', 'phone', 'light'],
    ['en-us', 'desktop', 'dark'],
    ['ar-eg', 'phone', 'dark'],
  ] as const)(
    'has no page that axe finds fault with: %s, %s, %s',
    async (language, width, color) => {
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: color }]);
      await page.setViewport({ width: widths[width], height: 900 });
      await open(`?language=${language}`);
      const faults: unknown[] = [];
      for (const [name, show] of Object.entries(looks)) {
        await show();
        expect([name, new URL(page.url()).pathname]).not.toEqual([name, '/console/login']);
        await shoot(`${name}-${language}-${width}-${color}`, widths[width]);
        const wide = await page.evaluate(tooWide);
        const found = [...(await problemsOfPage()), ...(wide as string[])];
        if (found.length > 0) faults.push({ name, found });
      }
      expect(faults).toEqual([]);
      expect(problems.filter((problem) => !problem.includes('404'))).toEqual([]);
    },
  );

  it('has charts whose values are read by keyboard, by pointer and in their table', async () => {
    await page.setViewport({ width: widths.phone, height: 900 });
    await open('?by=hour&language=en-us');
    const chart = await page.waitForSelector('.chart');
    if (chart === null) throw new Error('There is no chart.');
    const legend = () => chart.$eval('.legend', ({ textContent }) => textContent);
    const rowFromEnd = (steps: number) =>
      chart.$$eval(
        'tbody tr',
        (rows, index) => [...(rows[index]?.cells ?? [])].map(({ textContent }) => textContent),
        steps,
      );
    const expectRow = async (steps: number) => {
      const shown = await legend();
      for (const value of await rowFromEnd(steps)) expect(shown).toContain(value);
    };
    await expectRow(0);
    await chart.$eval('input', (range) => range.focus());
    for (let step = 0; step < 3; step++) await page.keyboard.press('ArrowLeft');
    await expectRow(3);
    const spoken = await chart.$eval('input', (range) => range.getAttribute('aria-valuetext'));
    for (const value of await rowFromEnd(3)) expect(spoken).toContain(value);
    const bars = await (await chart.$('.bars'))?.boundingBox();
    if (!bars) throw new Error('There are no bars.');
    // The newest is within the window.
    expect(bars.x + bars.width).toBeLessThanOrEqual(widths.phone);
    await page.mouse.move(bars.x + 1, bars.y + 10);
    await expectRow((await chart.$$('tbody tr')).length - 1);
    expect(problems.filter((problem) => !problem.includes('404'))).toEqual([]);
  });

  it.each(['en-us', 'ar-eg'])('can be used by keyboard: %s', async (language) => {
    await page.setViewport({ width: widths.desktop, height: 900 });
    await open(`?language=${language}`);
    await page.keyboard.press('Tab');
    expect(await page.evaluate(focused)).toMatchObject({ element: 'a.skip', isSeen: true });
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('content');
    const unseen: unknown[] = [];
    for (const [name, show] of Object.entries(looks)) {
      await show();
      const count = Number(await page.evaluate(focusable));
      // What was pressed to get here may still have the focus of the page before.
      await page.evaluate('document.activeElement.blur()');
      const reached = new Set<number>();
      for (let tabs = 0; tabs < 4 * count && reached.size < count; tabs++) {
        await page.keyboard.press('Tab');
        const { index, isSeen, ...where } = (await page.evaluate(focused)) as Focused;
        if (index >= 0) reached.add(index);
        if (index >= 0 && !isSeen) unseen.push({ name, ...where });
      }
      if (reached.size < count) unseen.push({ name, reached: reached.size, count });
    }
    expect(unseen).toEqual([]);
  });
});
