// Keeps units.json a copy of all units: all of them at first, then what changed since the last run.
// LIST can also be compounds, leads or reservations.
// API_URL=https://… API_KEY=… node copy.mjs
import { existsSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';

const { API_URL, API_KEY, LIST = 'units', COPY = `${LIST}.json` } = process.env;
if (!API_URL || !API_KEY) throw new Error('API_URL and API_KEY have to be set');
const { mark, items: copied } = existsSync(COPY)
  ? JSON.parse(await readFile(COPY, 'utf8'))
  : { mark: null, items: [] };
const items = new Map(copied.map((item) => [item._id, item]));

const query = new URLSearchParams({ limit: '100' });
if (mark === null) query.set('after', '0');
else (query.append('updatedSince', mark), query.append('includeDeleted', '1'));

for (;;) {
  const response = await fetch(`${API_URL}/external/apis/v1.0/${LIST}?${query}`, {
    headers: { 'api-key': API_KEY },
    signal: AbortSignal.timeout(30_000),
  });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  const ignored = response.headers.get('x-ignored-fields');
  if (ignored) throw new Error(`ignored: ${ignored}`);
  const { data, pagination } = await response.json();
  for (const item of data) {
    if (item.isDeleted) items.delete(item._id);
    else items.set(item._id, item);
  }
  if (pagination.next === null) {
    // Copy and mark are stored together; otherwise the next run repeats this one.
    const copy = { mark: response.headers.get('x-updated-as-of'), items: [...items.values()] };
    await writeFile(`${COPY}.new`, JSON.stringify(copy));
    await rename(`${COPY}.new`, COPY);
    break;
  }
  query.set('after', pagination.next);
}
console.log(`${items.size} ${LIST}`);
