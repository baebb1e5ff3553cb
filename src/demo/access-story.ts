import type { Chapter, DemoRun } from './demo-run.js';

/** Who may ask what: health without a key, everything else with one. */
export const accessStory: readonly Chapter[] = [
  { title: 'The health of the service needs no key', tell: askForHealth },
  { title: 'Without a key, or with a wrong one, nothing else is answered', tell: goWithoutKey },
];

async function askForHealth({ client }: DemoRun): Promise<void> {
  await client.show(
    { method: 'GET', path: 'healthz', key: null },
    { status: 200, body: { ok: true, version: 'v1.0' } },
  );
}

async function goWithoutKey({ client, id }: DemoRun): Promise<void> {
  const request = { method: 'POST', path: 'leads', body: { name: 'Omar Nasser' } } as const;
  await client.show(
    { ...request, key: null },
    { status: 401, body: { message: 'Access Denied, API key not provided' } },
  );
  await client.show(
    { ...request, key: `no-such-key-${id}` },
    { status: 401, body: { message: 'Access Denied, API key not valid' } },
  );
}
