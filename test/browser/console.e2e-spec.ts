import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AxeResults } from 'axe-core';
import { password, startConsole, type TestConsole } from '../console/console-client.js';
import { addSamples, type SamplePages } from '../console/sample-records.js';
import { eventually } from '../support/eventually.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { randomDatabaseUri } from '../support/test-service.js';
import { allowLoopback } from '../webhooks/webhook-service.js';
import { type Focused, focusable, focused, overflowingElements } from './page-checks.js';
import { pictures, startBrowser, type TestBrowser } from './test-browser.js';

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const widths = { desktop: 1_280, phone: 360 };

const started = await startBrowser();
const describeWithBrowser = started === null ? describe.skip : describe;

let service: TestConsole;
let receiver: Receiver;
let sample: SamplePages;
// The tests are skipped without a browser, so the empty object is never used.
const { page, problems } = started ?? ({} as TestBrowser);

beforeAll(async () => {
  if (started === null) return;
  receiver = await startReceiver();
  service = await startConsole({ ROLE: 'all', ...allowLoopback }, randomDatabaseUri());
  sample = await addSamples(service, receiver);
  // The pages' security policy forbids foreign scripts such as axe.
  await page.setBypassCSP(true);
});
afterAll(async () => {
  if (started === null) return;
  await started.close();
  await service.stop();
  await receiver.stop();
});

type Width = keyof typeof widths;
const setAppearance = async (width: Width, color = 'light') => {
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: color }]);
  await page.setViewport({ width: widths[width], height: 900 });
};
/** A page with status 404 is no problem here, but the browser logs it as an error. */
const expectNoProblems = () =>
  expect(problems.filter((problem) => !problem.includes('404'))).toEqual([]);

const open = (path: string) => page.goto(`${service.operations}/console${path}`);

/** The window is as high as the page, because Chromium shifts right-to-left pages beyond the window. */
async function takeScreenshot(name: string, width: Width): Promise<void> {
  const height = Number(await page.evaluate('document.documentElement.scrollHeight'));
  await page.setViewport({ width: widths[width], height });
  await page.screenshot({ path: `${pictures}/console-${name}.png`, captureBeyondViewport: false });
  await page.setViewport({ width: widths[width], height: 900 });
}

/** Takes a screenshot, and returns axe findings and elements wider than the screen. */
async function findFaults(name: string, width: Width): Promise<string[]> {
  await takeScreenshot(name, width);
  const wide = (await page.evaluate(overflowingElements)) as string[];
  await page.addScriptTag({ path: axe });
  const { violations } = (await page.evaluate('axe.run()')) as AxeResults;
  const found = violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
  return [...wide, ...found].map((fault) => `${name}: ${fault}`);
}

/** Presses a button by keyboard and waits for the next page. */
async function press(selector: string): Promise<void> {
  await page.focus(selector);
  await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
}

async function search(reference: string): Promise<void> {
  await open('/search');
  await page.type('#reference', reference);
  await press('main .search button');
}

/** Opens every page, also those after its forms. The selector must be on the page. */
const pages: Readonly<Record<string, readonly [selector: string, () => Promise<unknown>]>> = {
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
  webhooks: ['.sparkline', () => open('/webhooks')],
  endpoint: ['#since', () => open(sample.endpoint)],
  'endpoint-ended': ['form[action$="/enable"]', () => open(sample.disabledEndpoint)],
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
    await setAppearance(width);
    await open(`/login?language=${language}`);
    expect(await findFaults(`login-${language}-${width}`, width)).toEqual([]);
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
    'shows pages without axe findings or horizontal scrolling: %s, %s, %s',
    async (language, width, color) => {
      await setAppearance(width, color);
      await open(`?language=${language}`);
      const faults: string[] = [];
      for (const [name, [selector, openPage]] of Object.entries(pages)) {
        await openPage();
        if ((await page.$(selector)) === null) faults.push(`${name} has no ${selector}`);
        faults.push(...(await findFaults(`${name}-${language}-${width}-${color}`, width)));
      }
      expect(faults).toEqual([]);
      expectNoProblems();
    },
  );

  it.each([
    ['en-us', 'desktop'],
    ['ar-eg', 'phone'],
  ] as const)(
    'shows empty pages without axe findings or horizontal scrolling: %s, %s',
    async (language, width) => {
      await setAppearance(width);
      const empty = await startConsole({}, randomDatabaseUri());
      const faults: string[] = [];
      for (const path of ['', '/partners', '/catalogue', '/webhooks', '/log']) {
        await page.goto(`${empty.operations}/console${path}?language=${language}`);
        expect(await page.$('nav')).not.toBeNull();
        const name = `empty${path.replace('/', '-')}-${language}-${width}`;
        faults.push(...(await findFaults(name, width)));
      }
      expect(faults).toEqual([]);
      await empty.stop();
    },
  );

  it.each(['en-us', 'ar-eg'])(
    'hides the menu on a phone until its button is pressed: %s',
    async (language) => {
      await setAppearance('phone');
      await open(`/partners?language=${language}`);
      const isVisible = (selector: string) =>
        page.$eval(selector, (element) => element.checkVisibility());
      expect([await isVisible('.folds'), await isVisible('#menu')]).toEqual([true, false]);
      await page.focus('.folds');
      await page.keyboard.press('Enter');
      await page.waitForSelector('#menu', { visible: true });
      await takeScreenshot(`menu-${language}`, 'phone');
      expect(await page.evaluate(overflowingElements)).toEqual([]);
      expect(await isVisible('#menu a[aria-current=page]')).toBe(true);
      const boxOf = async (selector: string) => (await page.$(selector))?.boundingBox();
      const { y = 0, height = 0 } = (await boxOf('.folds')) ?? {};
      expect((await boxOf('#menu'))?.y).toBeGreaterThanOrEqual(y + height);
      await page.keyboard.press('Escape');
      await page.waitForSelector('#menu', { hidden: true });
      await setAppearance('desktop');
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
    await setAppearance('phone');
    await open('/partners?language=en-us');
    expect(await lookOf('thead')).toMatchObject({ display: 'none' });
    expect(await lookOf('tbody tr')).toMatchObject({ display: 'block' });
    expect(await lookOf('td')).toEqual({ display: 'flex', content: '"Organization"' });
    const align = await page.$eval('td.number', (cell) => getComputedStyle(cell).textAlign);
    expect(align).toBe('start');
    await setAppearance('desktop');
    expect(await lookOf('thead')).toMatchObject({ display: 'table-header-group' });
    expect(await lookOf('td')).toEqual({ display: 'table-cell', content: 'none' });
  });

  it.each([
    ['light', false],
    ['dark', true],
  ])('follows the %s color scheme of the browser', async (color, isDark) => {
    await setAppearance('desktop', color);
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
    expect(isDark ? paper : ink).toBeLessThan(64);
    expect(isDark ? ink : paper).toBeGreaterThan(192);
  });

  it('shows the values of charts by keyboard, by pointer and as a table', async () => {
    await setAppearance('phone');
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
    // The newest bar must be within the window.
    expect(bars.x + bars.width).toBeLessThanOrEqual(widths.phone);
    await page.mouse.move(bars.x + 1, bars.y + 10);
    await expectRow((await chart.$$('tbody tr')).length - 1);
    expectNoProblems();
  });

  it.each(['en-us', 'ar-eg'])(
    'shows the focus on every element that the keyboard reaches: %s',
    async (language) => {
      await setAppearance('desktop');
      await open(`?language=${language}`);
      await page.keyboard.press('Tab');
      expect(await page.evaluate(focused)).toMatchObject({ element: 'a.skip', isVisible: true });
      await page.keyboard.press('Enter');
      expect(await page.evaluate('document.activeElement.id')).toBe('content');
      const unseen: unknown[] = [];
      for (const [name, [, openPage]] of Object.entries(pages)) {
        await openPage();
        const count = Number(await page.evaluate(focusable));
        // The button of the previous page may still have the focus.
        await page.evaluate('document.activeElement.blur()');
        const reached = new Set<number>();
        for (let tabs = 0; tabs < 4 * count && reached.size < count; tabs++) {
          await page.keyboard.press('Tab');
          const { index, isVisible, ...where } = (await page.evaluate(focused)) as Focused;
          if (index >= 0) reached.add(index);
          if (index >= 0 && !isVisible) unseen.push({ name, ...where });
        }
        if (reached.size < count) unseen.push({ name, reached: reached.size, count });
      }
      expect(unseen).toEqual([]);
    },
  );
});
