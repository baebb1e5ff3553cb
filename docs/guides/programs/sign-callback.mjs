// Signs a report about a cheque and sends it; without SIGNING_SECRET it sends the report unsigned.
// API_URL=https://… API_KEY=… SIGNING_SECRET=whsec_… node sign-callback.mjs RESERVATION INSTALLMENT STATUS
import { createHmac, randomUUID } from 'node:crypto';

const { API_URL, API_KEY, SIGNING_SECRET } = process.env;
if (!API_URL || !API_KEY) throw new Error('API_URL and API_KEY have to be set');
const [reservationId, installmentId, chequeStatus] = process.argv.slice(2);
const body = JSON.stringify({ reservationId, installmentId, chequeStatus });
const headers = { 'api-key': API_KEY, 'content-type': 'application/json' };
if (SIGNING_SECRET) {
  // These five lines sign. A retry keeps the id, but signs again with the time of its attempt.
  const id = randomUUID();
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const secret = Buffer.from(SIGNING_SECRET.replace('whsec_', ''), 'base64');
  const signature = createHmac('sha256', secret)
    .update(`${id}.${timestamp}.${body}`)
    .digest('base64');
  Object.assign(headers, {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  });
}
const url = `${API_URL}/external/apis/v1.0/reservations/webhook`;
const response = await fetch(url, { method: 'POST', headers, body });
const header = (name) => response.headers.get(name);
const outcome = response.ok
  ? `reservation ${header('x-callback-reservation')}, cheque ${header('x-callback-cheque')}`
  : `${header('x-error-code')} ${await response.text()}`;
console.log(response.status, outcome);
process.exitCode = response.ok ? 0 : 1;
