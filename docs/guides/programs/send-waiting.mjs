// Sends the leads that waited in a file, one JSON object a line; refused ones are printed, with why.
// API_URL=https://… API_KEY=… node send-waiting.mjs waiting.ndjson
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';

const { API_URL, API_KEY } = process.env;
const waiting = await readFile(process.argv[2], 'utf8');
const leads = waiting
  .split('\n')
  .filter(Boolean)
  .map((line) => JSON.parse(line));

for (let start = 0; start < leads.length; start += 100) {
  const body = JSON.stringify({ leads: leads.slice(start, start + 100) });
  const answer = await fetch(`${API_URL}/external/apis/v1.0/leads/batch`, {
    method: 'POST',
    headers: {
      'api-key': API_KEY,
      'content-type': 'application/json',
      // The same file has the same keys: run the program again when it broke off.
      'idempotency-key': `"${createHash('sha256').update(body).digest('hex')}"`,
    },
    body,
    signal: AbortSignal.timeout(30_000),
  });
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  const { created, updated, refused, results } = await answer.json();
  console.log(`created ${created}, updated ${updated}, refused ${refused}`);
  for (const { index, statusCode, errorCode, message } of results) {
    if (statusCode >= 400)
      console.error(JSON.stringify({ lead: leads[start + index], errorCode, message }));
  }
}
