import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { password, startConsole, type TestConsole } from '../console/console-client.js';
import { addSamples, type SamplePages } from '../console/sample-records.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { randomDatabaseUri } from '../support/test-service.js';
import { allowLoopback } from '../webhooks/webhook-service.js';
import { faultsOf, type Focused, focusable, focused } from './page-checks.js';
import { pictures, startBrowser, type TestBrowser } from './test-browser.js';

const widths = { desktop: 1_280, phone: 390 };

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
  await page.emulateMediaFeatures([
    { name: 'prefers-color-scheme', value: color },
    // Otherwise the style sheet scrolls slowly to the focus.
    { name: 'prefers-reduced-motion', value: 'reduce' },
  ]);
  await page.setViewport({ width: widths[width], height: 900 });
};
/** A page with status 404 is no problem here, but the browser logs it as an error. */
const expectNoProblems = () =>
  expect(problems.filter((problem) => !/404|422/.test(problem))).toEqual([]);

const open = (path: string) => page.goto(`${service.operations}/console${path}`);

/** The browser sends cookies to all ports of a host. */
async function logIn({ cookie }: TestConsole): Promise<void> {
  const [name = '', value = ''] = cookie.split('=');
  await page.browserContext().setCookie({ name, value, domain: '127.0.0.1', path: '/console' });
}

/** Takes a picture, and returns axe findings and elements wider than the screen. */
async function findFaults(name: string, width: Width): Promise<string[]> {
  const file = `console-${name}-${width}.png`;
  await page.screenshot({ path: `${pictures}/${file}`, fullPage: true });
  return (await faultsOf(page)).map((fault) => `${name}: ${fault}`);
}

/** Presses a button by keyboard and waits for the next page. */
async function press(selector: string): Promise<void> {
  await page.focus(selector);
  await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
}

async function search(reference: string): Promise<void> {
  await open('/log');
  await page.type('[role=search] input[type=search]', reference);
  await press('[role=search] button');
}

async function show(path: string): Promise<void> {
  await open(path);
  await press('form[action$="/show"] button');
}

const openAll = () =>
  page.$$eval('main details', (all) => {
    for (const one of all) one.open = true;
  });

/** Opens every page, also those after its forms. The selector must be on the page. */
const pages: Readonly<Record<string, readonly [selector: string, () => Promise<unknown>]>> = {
  overview: ['.list-group-item a', () => open('')],
  'overview-week': ['canvas', () => open('?range=week')],
  partners: ['tbody tr + tr', () => open('/partners')],
  'partners-reducible': ['tbody tr', () => open('/partners?show=reducible')],
  partner: ['tbody code', () => open(sample.partner)],
  'partner-code': ['details', () => open(`${sample.partner}?code=lead.not_found&range=week`)],
  search: ['.empty', () => open('/search')],
  'search-none': ['.empty', () => search('nobody at all')],
  'search-records': ['tbody tr + tr', () => search('deal-2026-0093')],
  'search-request': ['details', () => search(sample.refusedRequest)],
  'search-unknown-reservation': ['tbody tr', () => search(sample.unknownReservation)],
  lead: ['form[action$="/show"]', () => open(sample.lead)],
  'lead-shown': ['.alert a', () => show(sample.lead)],
  reservation: ['.badge.bg-red-lt', () => open(sample.reservation)],
  'reservation-open': ['details[open]', () => open(sample.reservation).then(openAll)],
  unit: ['tbody a', () => open(sample.unit)],
  webhooks: ['tbody tr + tr', () => open('/webhooks')],
  endpoint: ['form[action$="/send"]', () => open(sample.endpoint)],
  'endpoint-ended': ['form[action$="/enable"]', () => open(sample.disabledEndpoint)],
  confirmation: [
    'input[name=formId]',
    () => open(sample.endpoint).then(() => press('form[action$="/disable"] button')),
  ],
  delivery: ['form[action$="/show"]', () => open(sample.delivery)],
  'delivery-shown': ['[data-copy-of]', () => show(sample.delivery)],
  'operator-log': ['tbody a', () => open('/log')],
  'not-there': ['main p', () => open('/webhooks/nonsense')],
};

const darkPages = new Set(['overview', 'partner', 'reservation', 'endpoint']);

describeWithBrowser('the console', () => {
  it.each(['desktop', 'phone'] as const)(
    'accepts the password on the login page: %s',
    async (width) => {
      const context = page.browserContext();
      await context.deleteCookie(...(await context.cookies()));
      await setAppearance(width);
      await open('/login');
      expect(await findFaults('login', width)).toEqual([]);
      await page.type('#password', password);
      await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
      expect(new URL(page.url()).pathname).toBe('/console');
      expect(problems).toEqual([]);
    },
  );

  it.each([
    ['desktop', 'light'],
    ['phone', 'light'],
    ['desktop', 'dark'],
    ['phone', 'dark'],
  ] as const)(
    'shows many records without axe findings or horizontal scrolling: %s, %s',
    async (width, color) => {
      await setAppearance(width, color);
      const faults: string[] = [];
      for (const [name, [selector, openPage]] of Object.entries(pages)) {
        if (color === 'dark' && !darkPages.has(name)) continue;
        await openPage();
        if ((await page.$(selector)) === null) faults.push(`${name} has no ${selector}`);
        faults.push(...(await findFaults(color === 'dark' ? `${name}-dark` : name, width)));
      }
      expect(faults).toEqual([]);
      expectNoProblems();
    },
  );

  it.each(['desktop', 'phone'] as const)(
    'shows empty pages, which name what they will show: %s',
    async (width) => {
      await setAppearance(width);
      const empty = await startConsole({}, randomDatabaseUri());
      const faults: string[] = [];
      try {
        for (const path of ['', '/partners', '/webhooks', '/search', '/log']) {
          await logIn(empty);
          await page.goto(`${empty.operations}/console${path}`);
          const text = await page.$eval('.empty', ({ textContent }) => textContent);
          expect(text.length).toBeGreaterThan(40);
          faults.push(...(await findFaults(`empty${path.replace('/', '-')}`, width)));
        }
      } finally {
        await empty.stop();
        await logIn(service);
      }
      expect(faults).toEqual([]);
    },
  );

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
          const context = document.createElement('canvas').getContext('2d');
          if (context === null) throw new Error('There is no canvas.');
          context.fillStyle = getComputedStyle(card)[name];
          context.fillRect(0, 0, 1, 1);
          const [red = 0, green = 0, blue = 0] = context.getImageData(0, 0, 1, 1).data;
          return (red + green + blue) / 3;
        },
        property,
      );
    const [ink, paper] = [await brightnessOf('color'), await brightnessOf('backgroundColor')];
    expect(isDark ? paper : ink).toBeLessThan(80);
    expect(isDark ? ink : paper).toBeGreaterThan(180);
  });

  it('draws charts over the whole width, with the values of their tables', async () => {
    await setAppearance('desktop');
    await open('?range=week');
    const drawn = await page.$eval('canvas[data-chart]', (canvas) => {
      const { Chart } = globalThis as unknown as {
        Chart: { getChart(of: Element): { data: { datasets: { data: (number | null)[] }[] } } };
      };
      const sums = Chart.getChart(canvas).data.datasets.map(({ data }) =>
        data.reduce<number>((sum, value) => sum + (value ?? 0), 0),
      );
      const { width } = canvas.getBoundingClientRect();
      return { sums, share: width / (canvas.closest('main')?.clientWidth ?? 1) };
    });
    expect(drawn.share).toBeGreaterThan(0.85);
    const rows = await page.$$eval('details:has(table) table', ([table]) =>
      [...(table?.querySelectorAll('tbody tr') ?? [])].map((row) =>
        [...row.querySelectorAll('td.text-md-end')].map(({ textContent }) =>
          Number(textContent.replaceAll(',', '')),
        ),
      ),
    );
    const sums = [0, 1, 2].map((column) => rows.reduce((sum, row) => sum + (row[column] ?? 0), 0));
    expect(drawn.sums).toEqual(sums);
  });

  it('copies an id by a click', async () => {
    await setAppearance('desktop');
    await page.browserContext().setPermission(service.operations, {
      permission: { name: 'clipboard-write' },
      state: 'granted',
    });
    await open(sample.reservation);
    const copy = 'dd .copy';
    await page.click(copy);
    await page.waitForSelector(`${copy}.copied`);
    const id = sample.reservation.split('/').at(-1);
    const copied = await page.$eval(`${copy}.copied`, ({ textContent }) => textContent);
    expect([id, expect.any(String)]).toContainEqual(copied);
  });

  it('sends everything that waits or was given up by one click, and shows the progress', async () => {
    await setAppearance('desktop');
    receiver.respondWith(204);
    await open(sample.endpoint);
    const label = await page.$eval('form[action$="/send"] button', (button) => button.textContent);
    const [count = ''] = /\d+/.exec(label) ?? [];
    await press('form[action$="/send"] button');
    expect(new URL(page.url()).pathname).toBe(`/console${sample.endpoint}`);
    await findFaults('endpoint-progress', 'desktop');
    // The page reloads itself until nothing waits.
    await page.waitForFunction(
      (all) =>
        document.querySelector('.alert')?.textContent.includes(`Sent (${all}): ${all} delivered.`),
      {},
      count,
    );
    expect(await page.$('form[action$="/send"]')).toBeNull();
  });

  it('shows the focus on every element that the keyboard reaches', async () => {
    await setAppearance('desktop');
    await open('');
    await page.keyboard.press('Tab');
    expect(await page.evaluate(focused)).toMatchObject({ isVisible: true });
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
  });
});
