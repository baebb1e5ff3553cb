// Shows a unit every few seconds and fetches it only when it has changed.
// API_URL=https://… API_KEY=… node one-unit.mjs <slug>
import { setTimeout as sleep } from 'node:timers/promises';

const { API_URL, API_KEY, PAUSE_MS = '5000', ROUNDS = 'Infinity' } = process.env;
if (!API_URL || !API_KEY) throw new Error('API_URL and API_KEY have to be set');
if (!process.argv[2]) throw new Error('The slug of a unit has to be given');
const url = `${API_URL}/external/apis/v1.0/units/${encodeURIComponent(process.argv[2])}`;
let tag = '';

for (let round = 0; round < Number(ROUNDS); round += 1) {
  const headers = { 'api-key': API_KEY, ...(tag && { 'if-none-match': tag }) };
  const response = await fetch(url, { headers, signal: AbortSignal.timeout(10_000) });
  if (response.status === 304) {
    console.log('current');
  } else if (response.ok) {
    const { data } = await response.json();
    tag = response.headers.get('etag') ?? '';
    console.log(data.name, data.status, data.price);
  } else {
    throw new Error(`${response.status} ${await response.text()}`);
  }
  await sleep(Number(PAUSE_MS));
}
