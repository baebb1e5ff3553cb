import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AxeResults } from 'axe-core';
import { ObjectId } from 'mongodb';
import type { Page } from 'puppeteer-core';
import { password, startConsole, type TestConsole } from '../console/console-client.js';
import { addFigures } from '../console/sample-figures.js';
import { addKey, addTenant } from '../support/builders.js';
import { randomDatabaseUri } from '../support/test-service.js';
import { startBrowser } from './support/browser.js';

/** Where the pictures of the pages are left. */
const pictures = 'dist/screenshots';
const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const widths = { desktop: 1_280, phone: 360 };

const started = await startBrowser();
const describeWithBrowser = started === null ? describe.skip : describe;

let service: TestConsole;
let page: Page;
let problems: string[];

beforeAll(async () => {
  if (started === null) return;
  mkdirSync(pictures, { recursive: true });
  service = await startConsole({}, randomDatabaseUri());
  await addPartners();
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
});

async function addPartners(): Promise<void> {
  const tenant = await addTenant(service.db);
  const { organizationId } = tenant;
  const named = async (name: string): Promise<ObjectId> => {
    const _id = new ObjectId();
    await addKey(service.db, organizationId, { _id, name });
    return _id;
  };
  const inOffices = (hour: Date) =>
    hour.getUTCDay() < 5 && hour.getUTCHours() >= 6 && hour.getUTCHours() < 16
      ? 300 + 40 * hour.getUTCHours()
      : 20;
  const stoppedAt = Date.now() - 30 * 3_600_000;
  await addFigures(service.db, [
    { keyId: await named('Website'), organizationId, calls: (hour) => 2 * inOffices(hour) },
    { keyId: await named('Collector'), organizationId, calls: inOffices, refused: 0.05 },
    {
      keyId: await named('Old CRM'),
      organizationId,
      calls: (hour) => (hour.getTime() < stoppedAt ? 120 : 0),
    },
  ]);
}

const problemsOfPage = async (): Promise<string[]> => {
  await page.addScriptTag({ path: axe });
  const results = (await page.evaluate('axe.run()')) as AxeResults;
  return results.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
};

describeWithBrowser('the console', () => {
  it('lets a reader in by the password', async () => {
    await page.setViewport({ width: widths.phone, height: 800 });
    await page.goto(`${service.operations}/console`);
    expect(await problemsOfPage()).toEqual([]);
    await page.type('#password', password);
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
    expect(new URL(page.url()).pathname).toBe('/console');
  });

  it.each([
    ['en-us', 'desktop'],
    ['en-us', 'phone'],
    ['ar-eg', 'desktop'],
    ['ar-eg', 'phone'],
  ] as const)('has no page that axe finds fault with: %s, %s', async (language, width) => {
    await page.setViewport({ width: widths[width], height: 900 });
    await page.goto(`${service.operations}/console?language=${language}`);
    const links = await page.$$eval('header nav a', (found) =>
      found.map((link) => (link as unknown as { href: string }).href),
    );
    const firstPartner = await page.$eval('main a[href*="/partners/"]', (link) => {
      return (link as unknown as { href: string }).href;
    });
    for (const link of [...links, firstPartner]) {
      await page.goto(link);
      const [, , first, id] = new URL(link).pathname.split('/');
      const name = first || 'overview';
      await page.screenshot({
        path: `${pictures}/console-${name}${id ? '-one' : ''}-${language}-${width}.png`,
        fullPage: true,
      });
      const found = await problemsOfPage();
      expect({ link, found }).toEqual({ link, found: [] });
      const overflow = await page.evaluate(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      );
      expect({ link, overflow }).toEqual({ link, overflow: 0 });
    }
    expect(problems).toEqual([]);
  });
});
