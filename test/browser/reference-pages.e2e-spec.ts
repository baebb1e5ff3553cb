import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestService, type TestService } from '../support/test-service.js';
import { faultsOf } from './page-checks.js';
import { startPrefixProxy } from './prefix-proxy.js';
import { pictures, startBrowser, type TestBrowser } from './test-browser.js';

const widths = [1_280, 390];
const schemes = ['light', 'dark'];

const started = await startBrowser();
const describeWithBrowser = started === null ? describe.skip : describe;

let service: TestService;
// The tests are skipped without a browser, so the empty object is never used.
const { page, problems } = started ?? ({} as TestBrowser);
const elsewhere: string[] = [];

beforeAll(async () => {
  if (started === null) return;
  service = await startTestService();
  page.on('request', (request) => {
    if (!request.url().startsWith(service.url)) elsewhere.push(request.url());
  });
});
afterAll(async () => {
  if (started === null) return;
  await started.close();
  await service.stop();
});

const open = (path: string) => page.goto(`${service.url}/docs/${path}`);

async function setAppearance(width: number, scheme: string): Promise<void> {
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
  await page.setViewport({ width, height: 900 });
}

/** Clicks without scrolling to the element, which is slow on the page of the reference. */
const click = (element: unknown) => (element as { click(): void }).click();

const theme = () => page.evaluate('document.documentElement.dataset.theme');

describeWithBrowser('the pages below /docs in a browser', () => {
  it.each([
    'guides',
    'guides.ar',
    'guides/website',
    'guides/website.ar',
    'guides/cheque-collector.ar',
    'guides/crm',
    'guides/webhooks',
    'rules',
    'typescript',
    'errors',
    'errors/lead.duplicate_phone',
    'search?q=duplicate+phone',
    'search.ar?q=%D8%A7%D9%84%D8%B4%D9%8A%D9%83%D8%A7%D8%AA',
    'sign-callback',
  ])('have no fault in %s on a desktop and a phone, light and dark', async (path) => {
    const faults: string[] = [];
    for (const width of widths) {
      for (const scheme of schemes) {
        await setAppearance(width, scheme);
        await open(path);
        const name = path.replaceAll(/[^\w.]+/g, '-').slice(0, 30);
        await page.screenshot({ path: `${pictures}/docs-${name}-${width}-${scheme}.png` });
        const found = await faultsOf(page);
        faults.push(...found.map((fault) => `${width} ${scheme}: ${fault}`));
      }
    }
    expect(faults).toEqual([]);
    expect([...problems, ...elsewhere]).toEqual([]);
  });

  it('keep the chosen theme on the next page', async () => {
    await setAppearance(1_280, 'light');
    await open('guides/website');
    expect(await theme()).toBe('light');
    await page.click('#theme');
    expect(await theme()).toBe('dark');
    await open('errors');
    expect(await theme()).toBe('dark');
    await page.click('#theme');
    expect(await theme()).toBe('light');
    await page.evaluate('localStorage.clear()');
  });

  it('find a page by the search field', async () => {
    await open('guides/website');
    await page.type('[name=q]', 'signature expired');
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
    await Promise.all([page.waitForNavigation(), page.click('.results a')]);
    expect(page.url()).toBe(`${service.url}/docs/errors/key.signature_expired`);
  });

  it('sign a callback', async () => {
    const secret = Buffer.from('a secret of thirty-two bytes ...').toString('base64');
    await open('sign-callback');
    await page.type('#key', 'iapi_unknown');
    await page.type('#secret', `whsec_${secret}`);
    await page.click('[name=send]');
    await page.waitForSelector('#sent:not([hidden])');
    const request = await page.$eval('#curl', ({ textContent }) => textContent);
    const body = await page.$eval(
      '#body',
      (field) => (field as unknown as { value: string }).value,
    );
    const [, id] = /webhook-id: ([^']+)/.exec(request) ?? [];
    const [, timestamp] = /webhook-timestamp: (\d+)/.exec(request) ?? [];
    const signature = createHmac('sha256', Buffer.from(secret, 'base64'))
      .update(`${id}.${timestamp}.${body}`)
      .digest('base64');
    expect(request).toContain(`webhook-signature: v1,${signature}`);
    expect(request).not.toContain(secret);
    const response = await page.$eval('#response', ({ textContent }) => textContent);
    expect(response).toMatch(/^401 /);
    expect(response).toContain('x-error-code: key.');
  });

  it('send keys only to the service when a proxy serves it below a path', async () => {
    const proxy = await startPrefixProxy(service.url, '/integration');
    const isSent = (url: string) => url.startsWith(`${proxy.url}/external/apis/v1.0/`);
    try {
      await page.goto(`${proxy.url}/docs/sign-callback`);
      await page.type('#key', 'iapi_unknown');
      await page.type('#secret', `whsec_${Buffer.alloc(32).toString('base64')}`);
      const callback = page.waitForResponse((response) => isSent(response.url()));
      await page.click('[name=send]');
      expect((await callback).headers()['x-error-code']).toBe('key.invalid');
      const command = await page.$eval('#curl', ({ textContent }) => textContent);
      expect(command).toContain(`'${proxy.url}/external/apis/v1.0/reservations/webhook'`);

      await page.goto(`${proxy.url}/docs/#tag/health/checkHealth`);
      const operation = '[id="api-1/tag/health/checkHealth"]';
      await page.waitForSelector(`${operation} .show-api-client-button`);
      await page.$eval(`${operation} .show-api-client-button`, click);
      await page.waitForFunction(
        `document.querySelector('.scalar-client--open')?.textContent.includes(${JSON.stringify(proxy.url)})`,
      );
      expect(proxy.strayed).toEqual([]);
    } finally {
      proxy.close();
    }
  });
});
