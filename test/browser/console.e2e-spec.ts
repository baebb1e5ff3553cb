import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AxeResults } from 'axe-core';
import type { Page } from 'puppeteer-core';
import { password, startConsole, type TestConsole } from '../console/console-client.js';
import { addSample, type SamplePages } from '../console/sample-records.js';
import { eventually } from '../support/eventually.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { randomDatabaseUri } from '../support/test-service.js';
import { toLoopback } from '../webhooks/webhook-service.js';
import { startBrowser } from './support/browser.js';
import { type Focused, focusable, focused } from './support/focus.js';
import { tooWide } from './support/too-wide.js';

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
  // The pages forbid foreign scripts such as axe.
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

/** A picture of the whole page in a window of its height: beyond it, right-to-left pages are shifted. */
async function shoot(name: string, width: number): Promise<void> {
  const height = Number(await page.evaluate('document.documentElement.scrollHeight'));
  await page.setViewport({ width, height });
  await page.screenshot({ path: `${pictures}/console-${name}.png`, captureBeyondViewport: false });
  await page.setViewport({ width, height: 900 });
}

/** Presses a button by keyboard, and waits for the next page. */
async function press(selector: string): Promise<void> {
  await page.focus(selector);
  await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
}

async function search(reference: string): Promise<void> {
  await open('/search');
  await page.type('#reference', reference);
  await press('main .search button');
}

/** Every page with an element that it has to show, also after its forms. */
const looks: Readonly<Record<string, readonly [selector: string, () => Promise<unknown>]>> = {
  overview: ['.attention li a', () => open('')],
  'overview-by-hour': ['.chart .bars', () => open('?by=hour')],
  partners: ['tbody .bars', () => open('/partners')],
  partner: ['.chart .bars', () => open(sample.partner)],
  catalogue: ['td.number', () => open(`/catalogue?organization=${sample.organization}`)],
  search: ['#reference', () => open('/search')],
  'search-none': ['[role=status] p', () => search('nobody')],
  'search-found': ['[role=status] tbody tr + tr', () => search('deal-2026-0093')],
  lead: ['.notice button', () => open(sample.lead)],
  'lead-shown': ['.notice a', () => show(sample.lead)],
  reservation: ['.timeline .bad', () => open(sample.reservation)],
  unit: ['tbody a', () => open(sample.unit)],
  webhooks: ['.curve', () => open('/webhooks')],
  endpoint: ['#since', () => open(sample.endpoint)],
  'endpoint-ended': ['form[action$="/enable"]', () => open(sample.endedEndpoint)],
  confirmation: [
    'input[name=formId]',
    async () => {
      await open(sample.endpoint);
      const since = new Date(Date.now() - 86_400_000).toISOString().slice(0, 16);
      await page.$eval('#since', (field, value) => Object.assign(field, { value }), since);
      await press('main form.search button');
    },
  ],
  delivery: ['.notice button', () => open(sample.delivery)],
  'delivery-shown': ['[data-copies]', () => show(sample.delivery)],
  'operator-log': ['tbody a', () => open('/log')],
  'not-there': ['main p', () => open('/webhooks/nonsense')],
};

async function show(path: string): Promise<void> {
  await open(path);
  await press('form[action$="/show"] button');
}

describeWithBrowser('the console', () => {
  it.each([
    ['en-us', 'desktop'],
    ['en-us', 'phone'],
    ['ar-eg', 'desktop'],
    ['ar-eg', 'phone'],
  ] as const)('accepts the password on the login page: %s, %s', async (language, width) => {
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
    'has pages without axe findings or horizontal scrolling: %s, %s, %s',
    async (language, width, color) => {
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: color }]);
      await page.setViewport({ width: widths[width], height: 900 });
      await open(`?language=${language}`);
      const faults: unknown[] = [];
      for (const [name, [selector, look]] of Object.entries(looks)) {
        await look();
        expect({ name, found: (await page.$(selector)) !== null }).toEqual({ name, found: true });
        await shoot(`${name}-${language}-${width}-${color}`, widths[width]);
        const wide = await page.evaluate(tooWide);
        const found = [...(await problemsOfPage()), ...(wide as string[])];
        if (found.length > 0) faults.push({ name, found });
      }
      expect(faults).toEqual([]);
      expect(problems.filter((problem) => !problem.includes('404'))).toEqual([]);
    },
  );

  it.each([
    ['en-us', 'desktop'],
    ['ar-eg', 'phone'],
  ] as const)(
    'has empty pages without axe findings or horizontal scrolling: %s, %s',
    async (language, width) => {
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'light' }]);
      await page.setViewport({ width: widths[width], height: 900 });
      const empty = await startConsole({}, randomDatabaseUri());
      const faults: unknown[] = [];
      for (const path of ['', '/partners', '/catalogue', '/webhooks', '/log']) {
        await page.goto(`${empty.operations}/console${path}?language=${language}`);
        expect(await page.$('nav')).not.toBeNull();
        await shoot(`empty${path.replace('/', '-')}-${language}-${width}`, widths[width]);
        const wide = (await page.evaluate(tooWide)) as string[];
        faults.push(...(await problemsOfPage()), ...wide);
      }
      expect(faults).toEqual([]);
      await empty.stop();
    },
  );

  it.each(['en-us', 'ar-eg'])(
    'hides the menu on a phone until its button is pressed: %s',
    async (language) => {
      await page.setViewport({ width: widths.phone, height: 900 });
      await open(`/partners?language=${language}`);
      const isVisible = (selector: string) =>
        page.$eval(selector, (element) => element.checkVisibility());
      expect([await isVisible('.folds'), await isVisible('#menu')]).toEqual([true, false]);
      await page.focus('.folds');
      await page.keyboard.press('Enter');
      await page.waitForSelector('#menu', { visible: true });
      await shoot(`menu-${language}`, widths.phone);
      expect(await page.evaluate(tooWide)).toEqual([]);
      expect(await isVisible('#menu a[aria-current=page]')).toBe(true);
      const [button, menu] = await Promise.all(
        ['.folds', '#menu'].map(async (one) => (await page.$(one))?.boundingBox()),
      );
      expect(menu?.y).toBeGreaterThanOrEqual((button?.y ?? 0) + (button?.height ?? 0));
      await page.keyboard.press('Escape');
      await page.waitForSelector('#menu', { hidden: true });
      await page.setViewport({ width: widths.desktop, height: 900 });
      expect([await isVisible('.folds'), await isVisible('#menu')]).toEqual([false, true]);
    },
  );

  it('shows table rows as cards with titles on a phone only', async () => {
    const lookOf = (selector: string) =>
      page.$eval(selector, (element) => {
        const { display } = getComputedStyle(element);
        const { content } = getComputedStyle(element, '::before');
        return { display, content };
      });
    await page.setViewport({ width: widths.phone, height: 900 });
    await open('/partners?language=en-us');
    expect(await lookOf('thead')).toMatchObject({ display: 'none' });
    expect(await lookOf('tbody tr')).toMatchObject({ display: 'block' });
    expect(await lookOf('td')).toEqual({ display: 'flex', content: '"Organization"' });
    const align = await page.$eval('td.number', (cell) => getComputedStyle(cell).textAlign);
    expect(align).toBe('start');
    await page.setViewport({ width: widths.desktop, height: 900 });
    expect(await lookOf('thead')).toMatchObject({ display: 'table-header-group' });
    expect(await lookOf('td')).toEqual({ display: 'table-cell', content: 'none' });
  });

  it.each(['light', 'dark'])('follows the %s color scheme of the browser', async (value) => {
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value }]);
    await open('');
    const brightnessOf = (property: 'color' | 'backgroundColor') =>
      page.$eval(
        '.card',
        (card, name) => {
          const channels = getComputedStyle(card)[name].match(/\d+/g) ?? [];
          return channels.slice(0, 3).reduce((sum, channel) => sum + Number(channel), 0) / 3;
        },
        property,
      );
    const [ink, paper] = [await brightnessOf('color'), await brightnessOf('backgroundColor')];
    expect(value === 'dark' ? [paper < 64, ink > 192] : [paper > 192, ink < 64]).toEqual([
      true,
      true,
    ]);
  });

  it('shows the values of charts by keyboard, by pointer and as a table', async () => {
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
    const expectRow = (steps: number) =>
      eventually(async () => {
        const shown = await legend();
        for (const value of await rowFromEnd(steps)) expect(shown).toContain(value);
      });
    await expectRow(0);
    await chart.$eval('input', (range) => range.focus());
    for (let step = 0; step < 3; step++) await page.keyboard.press('ArrowLeft');
    await expectRow(3);
    const spoken = await chart.$eval('input', (range) => range.getAttribute('aria-valuetext'));
    for (const value of await rowFromEnd(3)) expect(spoken).toContain(value);
    const bars = await (await chart.$('.bars'))?.boundingBox();
    if (!bars) throw new Error('There are no bars.');
    // The newest bar is within the window.
    expect(bars.x + bars.width).toBeLessThanOrEqual(widths.phone);
    await page.mouse.move(bars.x + 1, bars.y + 10);
    await expectRow((await chart.$$('tbody tr')).length - 1);
    expect(problems.filter((problem) => !problem.includes('404'))).toEqual([]);
  });

  it.each(['en-us', 'ar-eg'])(
    'shows the focus on every element that the keyboard reaches: %s',
    async (language) => {
      await page.setViewport({ width: widths.desktop, height: 900 });
      await open(`?language=${language}`);
      await page.keyboard.press('Tab');
      expect(await page.evaluate(focused)).toMatchObject({ element: 'a.skip', isSeen: true });
      await page.keyboard.press('Enter');
      expect(await page.evaluate('document.activeElement.id')).toBe('content');
      const unseen: unknown[] = [];
      for (const [name, [, look]] of Object.entries(looks)) {
        await look();
        const count = Number(await page.evaluate(focusable));
        // A button of the page before may still have the focus.
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
    },
  );
});
