// Sends the unsent leads of a file, one JSON object per line with the language of its page,
// and prints refused ones with the reason, and the names of ignored fields; then it exits with 1.
// API_URL=https://… API_KEY=… node send-waiting.mjs waiting.ndjson
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';

const { API_URL, API_KEY } = process.env;
if (!API_URL || !API_KEY) throw new Error('API_URL and API_KEY have to be set');
const lines = (await readFile(process.argv[2], 'utf8')).split('\n').filter(Boolean);
// A batch has one language. A form may have sent any value.
const byLanguage = { 'en-us': [], 'ar-eg': [] };
for (const lead of lines.map((line) => JSON.parse(line))) {
  byLanguage[lead.language === 'ar-eg' ? 'ar-eg' : 'en-us'].push(lead);
}
const batches = Object.entries(byLanguage).flatMap(([language, waiting]) =>
  Array.from({ length: Math.ceil(waiting.length / 100) }, (_, part) => ({
    language,
    waiting: waiting.slice(part * 100, (part + 1) * 100),
  })),
);

for (const { language, waiting } of batches) {
  const leads = waiting.map(({ language: _, ...lead }) => lead);
  const body = JSON.stringify({ leads });
  // The same file has the same keys: run the program again if it was interrupted.
  const key = createHash('sha256').update(`${language} ${body}`).digest('hex');
  const response = await fetch(`${API_URL}/external/apis/v1.0/leads/batch`, {
    method: 'POST',
    headers: {
      'api-key': API_KEY,
      'content-type': 'application/json',
      language,
      'idempotency-key': `"${key}"`,
    },
    body,
    signal: AbortSignal.timeout(30_000),
  });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  const { created, updated, refused, results } = await response.json();
  console.log(`created ${created}, updated ${updated}, refused ${refused}`);
  const ignored = response.headers.get('x-ignored-fields');
  if (ignored) console.error(`ignored: ${ignored}`);
  if (ignored || refused > 0) process.exitCode = 1;
  for (const { index, statusCode, errorCode, message } of results) {
    if (statusCode >= 400)
      console.error(JSON.stringify({ lead: waiting[index], errorCode, message }));
  }
}
