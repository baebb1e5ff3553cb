// Keeps units.json a copy of all units: all of them at first, then what changed since the last run.
// API_URL=https://… API_KEY=… node copy.mjs
import { existsSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';

const { API_URL, API_KEY, COPY = 'units.json' } = process.env;
if (!API_URL || !API_KEY) throw new Error('API_URL and API_KEY have to be set');
const { mark, units: copied } = existsSync(COPY)
  ? JSON.parse(await readFile(COPY, 'utf8'))
  : { mark: null, units: [] };
const units = new Map(copied.map((unit) => [unit._id, unit]));

const query = new URLSearchParams({ limit: '100' });
if (mark === null) query.set('after', '0');
else (query.append('updatedSince', mark), query.append('includeDeleted', '1'));

for (;;) {
  const response = await fetch(`${API_URL}/external/apis/v1.0/units?${query}`, {
    headers: { 'api-key': API_KEY },
    signal: AbortSignal.timeout(30_000),
  });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  const ignored = response.headers.get('x-ignored-fields');
  if (ignored) throw new Error(`ignored: ${ignored}`);
  const { data, pagination } = await response.json();
  for (const unit of data) {
    if (unit.isDeleted) units.delete(unit._id);
    else units.set(unit._id, unit);
  }
  if (pagination.next === null) {
    // Copy and mark are stored together; otherwise the next run repeats this one.
    const copy = { mark: response.headers.get('x-updated-as-of'), units: [...units.values()] };
    await writeFile(`${COPY}.new`, JSON.stringify(copy));
    await rename(`${COPY}.new`, COPY);
    break;
  }
  query.set('after', pagination.next);
}
console.log(`${units.size} units`);
