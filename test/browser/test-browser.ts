import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import chromium from '@sparticuz/chromium';
import puppeteer, { type Page } from 'puppeteer-core';

export const pictures = '.screenshots';

export interface TestBrowser {
  readonly page: Page;
  readonly problems: readonly string[];
  close(): Promise<void>;
}

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--force-color-profile=srgb',
];

/**
 * Starts the Chromium of `CHROMIUM_PATH`, or else the packaged one.
 *
 * @returns null with a printed reason if it cannot run; in CI it throws instead
 */
export async function startBrowser(): Promise<TestBrowser | null> {
  const profile = mkdtempSync(join(tmpdir(), 'integration-api-browser-'));
  try {
    const executablePath = process.env['CHROMIUM_PATH'] ?? (await chromium.executablePath());
    const browser = await puppeteer.launch({
      executablePath,
      headless: true,
      args: flags,
      userDataDir: profile,
    });
    const close = async () => {
      await browser.close();
      rmSync(profile, { recursive: true, force: true });
    };
    const page = await browser.newPage();
    const problems: string[] = [];
    page.setDefaultTimeout(120_000);
    page.on('console', (message) => {
      if (['error', 'warn'].includes(message.type())) problems.push(message.text());
    });
    page.on('pageerror', (error) => problems.push(String(error)));
    mkdirSync(pictures, { recursive: true });
    return { page, problems, close };
  } catch (error) {
    rmSync(profile, { recursive: true, force: true });
    const [line] = (error as Error).message.split('\n');
    const reason = `No browser can be started (${line}): install libnss3, or set CHROMIUM_PATH.`;
    if (process.env['CI'] === 'true') throw new Error(reason, { cause: error });
    process.stderr.write(`${reason} Its tests are skipped.\n`);
    return null;
  }
}
