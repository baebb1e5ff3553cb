// Receives webhooks without any library. WEBHOOK_SECRET=whsec_… node receiver.mjs
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';

const { WEBHOOK_SECRET, PORT = '8080' } = process.env;
const key = Buffer.from(WEBHOOK_SECRET.replace(/^whsec_/, ''), 'base64');
const handled = new Set(); // In your database: it has to outlive the process.

function isGenuine(headers, body) {
  const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signatures } = headers;
  if (!id || !signatures || !(Math.abs(Date.now() / 1_000 - time) <= 300)) return false;
  const expected = createHmac('sha256', key).update(`${id}.${time}.`).update(body).digest();
  return signatures.split(' ').some((signature) => {
    const sent = Buffer.from(signature.replace(/^v1,/, ''), 'base64');
    return sent.length === expected.length && timingSafeEqual(sent, expected);
  });
}

createServer(async (request, response) => {
  const body = await buffer(request);
  if (!isGenuine(request.headers, body)) return response.writeHead(401).end();
  const id = request.headers['webhook-id'];
  if (!handled.has(id)) {
    const { type, data } = JSON.parse(body);
    console.log(type, data._id ?? ''); // Put it into a queue here, and respond at once.
    handled.add(id);
  }
  return response.writeHead(204).end();
}).listen(PORT, '127.0.0.1');
