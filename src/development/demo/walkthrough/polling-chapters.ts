import type { DemoRequest } from '../client/demo-client.js';
import type { Chapter, DemoRun } from './demo-run.js';

/** A CRM that keeps its copy of the catalogue up to date. */
export const pollingChapters: readonly Chapter[] = [
  { title: 'A CRM polls a unit: nothing has changed, then its price has', execute: pollUnit },
  { title: 'Or it asks for what has changed since its last visit', execute: askForChanges },
];

const unitId = 'CRM-1';
const firstPrice = 9_000_000;
const newPrice = 8_750_000;

async function pollUnit(run: DemoRun): Promise<void> {
  const { client } = run;
  const created = await client.ask(upsert(firstPrice), {
    status: 201,
    body: { operation: 'create', unit: { price: firstPrice } },
  });
  const { slug } = (created.body as { unit: { slug: string } }).unit;
  const read = { method: 'GET', path: `units/${slug}` } as const;
  const { headers } = await client.ask(read, { status: 200, body: { data: { slug } } });
  const etag = headers.get('etag');
  await client.show({ ...read, etag }, { status: 304, body: '' });
  await client.show(upsert(newPrice), {
    status: 200,
    body: { operation: 'update', unit: { slug, price: newPrice } },
  });
  const changed = { status: 200, body: { data: { slug, price: newPrice } } };
  await client.show({ ...read, etag }, changed);
}

async function askForChanges(run: DemoRun): Promise<void> {
  const lastVisit = new Date(Date.now() - 60_000).toISOString().replace(/\.\d+Z/, 'Z');
  const query = `updatedSince=${lastVisit}&unitId=${unitId}`;
  await run.client.show(
    { method: 'GET', path: `units?${query}` },
    { status: 200, body: { data: [{ price: newPrice }], pagination: { total: 1 } } },
  );
}

function upsert(price: number): DemoRequest {
  const body = {
    unitId,
    name: { 'en-us': 'Corner Villa', 'ar-eg': 'فيلا زاوية' },
    compound: 'palm-meadows',
    propertyType: 'villa',
    price,
  };
  return { method: 'POST', path: 'units', body };
}
