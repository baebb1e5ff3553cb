// Serves form.html and sends what it posts. API_URL=https://… API_KEY=… node website.mjs
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

const { API_URL, API_KEY, PORT = '8080' } = process.env;
if (!API_URL || !API_KEY) throw new Error('API_URL and API_KEY have to be set');

const thanks = 'Thank you · شكرًا لك';

async function sendLead(lead, language, tries = 4, pause = 500) {
  const answer = await fetch(`${API_URL}/external/apis/v1.0/leads`, {
    method: 'POST',
    headers: { 'api-key': API_KEY, 'content-type': 'application/json', language },
    body: JSON.stringify(lead),
    signal: AbortSignal.timeout(10_000),
  }).catch((error) => error);
  const isFinal = answer.status < 500 && ![408, 409, 429].includes(answer.status);
  if (isFinal || tries === 1) return answer;
  await sleep(Math.max(pause, 1_000 * (answer.headers?.get('retry-after') ?? 0)));
  return sendLead(lead, language, tries - 1, pause * 2);
}

async function receive(form) {
  // Only programs fill the hidden field; they get no hint that they were recognized.
  if (form.get('website')) return [200, thanks];
  // An optional field that is empty is sent as null: an empty text is not valid.
  const email = form.get('email') || null;
  const lead = { name: form.get('name'), phoneNumber: form.get('phone'), email };
  // The id makes retries safe, by this program and by an impatient visitor.
  lead.recordSystemId = form.get('submission') || crypto.randomUUID();
  const language = form.get('language') === 'ar-eg' ? 'ar-eg' : 'en-us';
  const answer = await sendLead(lead, language);
  const code = answer.headers?.get('x-error-code');
  const ignored = answer.headers?.get('x-ignored-fields');
  // Such fields are stored nowhere: correct their names.
  if (ignored) console.error('ignored', ignored);
  // Thank a person who is already known, too: whose lead the phone belongs to does not concern the visitor.
  if (answer.ok || code === 'lead.duplicate_phone') return [200, thanks];
  if (code === 'validation.failed') return [400, (await answer.json()).message.join('\n')];
  const waiting = { ...lead, language };
  const cause = answer.status ?? answer.cause?.code ?? String(answer.cause ?? answer);
  console.error('not sent', cause, code ?? '', JSON.stringify(waiting));
  return [503, 'Please try again later · يرجى المحاولة لاحقًا'];
}

createServer(async (request, response) => {
  const page = request.url === '/ar' ? 'form-ar.html' : 'form.html';
  if (request.method !== 'POST') {
    response.setHeader('content-type', 'text/html; charset=utf-8');
    return response.end(readFileSync(new URL(page, import.meta.url)));
  }
  try {
    const [status, message] = await receive(new URLSearchParams(await text(request)));
    response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(message);
  } catch (error) {
    // A visitor who leaves during the request must not end the program.
    console.error(error);
    response.destroy();
  }
  return undefined;
}).listen(PORT, '127.0.0.1');
