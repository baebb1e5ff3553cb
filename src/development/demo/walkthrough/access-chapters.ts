import type { Chapter, DemoRun } from './demo-run.js';

/** Health without a key, everything else with one. */
export const accessChapters: readonly Chapter[] = [
  { title: 'The health of the service needs no key', execute: askForHealth },
  {
    title: 'Without a key, or with a wrong one, every other request gets a 401',
    execute: sendWithoutKey,
  },
];

async function askForHealth({ client }: DemoRun): Promise<void> {
  await client.show(
    { method: 'GET', path: 'healthz', key: null },
    { status: 200, body: { ok: true, version: 'v1.0' } },
  );
}

async function sendWithoutKey({ client }: DemoRun): Promise<void> {
  const request = { method: 'POST', path: 'leads', body: { name: 'Omar Nasser' } } as const;
  await client.show(
    { ...request, key: null },
    { status: 401, body: { message: 'Access Denied, API key not provided' } },
  );
  await client.show(
    { ...request, key: 'no-such-key' },
    { status: 401, body: { message: 'Access Denied, API key not valid' } },
  );
}
