// Keeps a copy of the leads in leads.json by the event feed, and continues where it stopped.
// API_URL=https://… API_KEY=(one that may read events) node leads.mjs
import { existsSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

const { API_URL, API_KEY, COPY = 'leads.json', PAUSE_MS = '30000', ROUNDS } = process.env;
if (!API_URL || !API_KEY) throw new Error('API_URL and API_KEY have to be set');
const stored = existsSync(COPY)
  ? JSON.parse(await readFile(COPY, 'utf8'))
  : { after: 0, leads: [] };
const leads = new Map(stored.leads.map((lead) => [lead._id, lead]));
let after = process.env.AFTER ?? stored.after;

async function readPage() {
  const query = new URLSearchParams({ after, types: 'lead.*', limit: '1000', wait: '25' });
  const response = await fetch(`${API_URL}/external/apis/v1.0/events?${query}`, {
    headers: { 'api-key': API_KEY },
    signal: AbortSignal.timeout(60_000),
  });
  const text = await response.text();
  if (response.ok) return JSON.parse(text);
  console.error(response.status, text);
  // Only these are retried. A 410 says where to continue: read the current state, then start with that AFTER.
  if (response.status < 500 && ![408, 409, 429].includes(response.status)) process.exit(1);
  throw new Error(`Again in ${PAUSE_MS} ms`);
}

for (let round = 0; round < Number(ROUNDS ?? Infinity); round += 1) {
  try {
    const { data: events, next } = await readPage();
    for (const { type, data } of events) {
      if (/deleted|erased/.test(type)) leads.delete(data._id);
      else leads.set(data._id, data);
    }
    // Copy and position are stored together: after a crash nothing is missed.
    await writeFile(`${COPY}.new`, JSON.stringify({ after: next, leads: [...leads.values()] }));
    await rename(`${COPY}.new`, COPY);
    after = next;
    console.log(`${events.length} events, ${leads.size} leads`);
    // A wait may end early.
    if (events.length === 0) await sleep(1_000);
  } catch (error) {
    console.error(error.message);
    await sleep(Number(PAUSE_MS));
  }
}
