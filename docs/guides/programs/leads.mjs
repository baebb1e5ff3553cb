// Keeps leads-feed.json a copy of all leads. The event feed says when something changes, the list says
// what: so the copy is right after a month without a run, too, and after changes without events.
// API_URL=https://… API_KEY=(of a CRM) node leads.mjs
import { existsSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

const { API_URL, API_KEY, COPY = 'leads-feed.json', PAUSE_MS = '30000', ROUNDS } = process.env;
if (!API_URL || !API_KEY) throw new Error('API_URL and API_KEY have to be set');
const stored = existsSync(COPY)
  ? JSON.parse(await readFile(COPY, 'utf8'))
  : { after: 0, mark: null, leads: [] };
const leads = new Map(stored.leads.map((lead) => [lead._id, lead]));
let { after, mark } = stored;

async function get(path, query) {
  const url = `${API_URL}/external/apis/v1.0/${path}?${new URLSearchParams(query)}`;
  const signal = AbortSignal.timeout(60_000);
  const response = await fetch(url, { headers: { 'api-key': API_KEY }, signal });
  if (response.ok || response.status === 410) return response;
  const text = await response.text();
  console.error(response.status, text);
  // Only these are retried.
  if (response.status < 500 && ![408, 409, 429].includes(response.status)) process.exit(1);
  throw new Error(`Again in ${PAUSE_MS} ms`);
}

/** Reads all leads, or what has changed since the mark of the last copy. */
async function copyLeads() {
  const changed = mark === null ? { after: '0' } : { updatedSince: mark, includeDeleted: '1' };
  for (const query = { limit: '100', ...changed }; ;) {
    const response = await get('leads', query);
    const { data, pagination } = await response.json();
    for (const lead of data) {
      if (lead.isDeleted) leads.delete(lead._id);
      else leads.set(lead._id, lead);
    }
    if (pagination.next === null) return response.headers.get('x-updated-as-of');
    query.after = pagination.next;
  }
}

/** Returns the position after the next events, at the latest after 25 seconds. */
async function waitForEvents() {
  const response = await get('events', { after, types: 'lead.*', limit: '1000', wait: '25' });
  // 410: older events are no longer kept, but the list has what they did.
  if (response.status === 410) return Number(response.headers.get('x-next-cursor'));
  const { data, next } = await response.json();
  // A wait may end early.
  if (data.length === 0) await sleep(1_000);
  return next;
}

for (let round = 0; round < Number(ROUNDS ?? Infinity); round += 1) {
  try {
    // Nothing is copied twice at the start: the first copy has everything.
    const next = mark === null ? after : await waitForEvents();
    mark = await copyLeads();
    after = next;
    // Copy and position are stored together: after a crash nothing is missed.
    const copy = JSON.stringify({ after, mark, leads: [...leads.values()] });
    await writeFile(`${COPY}.new`, copy);
    await rename(`${COPY}.new`, COPY);
    console.log(`${leads.size} leads, events up to ${after}`);
  } catch (error) {
    console.error(error.message);
    await sleep(Number(PAUSE_MS));
  }
}
