// Measures the pages of the operator's console with a million leads and events, half a million deliveries, 50,000 units and a
// hundred keys that call all day: `npm run bench:console [-- --data /tmp/console]`.
import { createServer } from 'node:net';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { hashPassword } from '../dist/core/values/password-hash.js';
import { loadEvents } from './data/events.mjs';
import { loadFigures } from './data/figures.mjs';
import { amountAt, loadLarge } from './data/growing.mjs';
import { idOf, nationalPhone, recordSystemIdOf } from './data/names.mjs';
import { startLoadedDatabases } from './measuring/database.mjs';
import { Running } from './measuring/running.mjs';
import { startService } from './measuring/subject.mjs';

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    factor: { type: 'string', default: '50' },
    keys: { type: 'string', default: '100' },
  },
});
const factor = Number(values.factor);
const keyCount = Number(values.keys);
const events = 20_000 * factor;
/** Events are of so many leads, in turns: each has fifty. */
const leadsOfEvents = 20_000;
const password = 'the password of the bench';
const warmUps = 2;
const rounds = 10;
const hex = (kind, number) => idOf(kind, number).toHexString();
const organization = hex('organization', 0);

const running = await Running.inNewFolder();
const { folder } = running;
try {
  const dataFolder = values.data === undefined ? join(folder, 'data') : resolve(values.data);
  const name = `console${factor}x${keyCount}`;
  const { server, databases } = await startLoadedDatabases(dataFolder, { [name]: load });
  await running.add(server);
  await measure(databases[name]);
} finally {
  await running.stop();
}

async function load(db) {
  const { leads, units, deliveries } = amountAt(factor);
  print(`Loading ${leads} leads, ${events} events, ${deliveries} deliveries and ${units} units`);
  await loadLarge(db, factor);
  await loadEvents(db, events, leadsOfEvents);
  await loadFigures(db, keyCount);
  const now = new Date();
  await db.collection('webhookEndpoints').insertOne({
    _id: idOf('endpoint', 0),
    organizationId: idOf('organization', 0),
    url: 'https://crm.example.com/hooks',
    eventTypes: [],
    isEnabled: false,
    secret: 'none',
    createdAt: now,
    updatedAt: now,
  });
}

async function measure(database) {
  const port = await freePort();
  const variables = { OPS_PORT: String(port), OPS_PASSWORD: await hashPassword(password) };
  const service = await running.add(startService(database, folder, { variables }));
  const address = `http://127.0.0.1:${port}/console`;
  const cookie = await logIn(address);
  const { _id: keyId } = await database.db.collection('apiKeys').findOne({ name: 'Partner 0' });
  const { _id: delivery } = await database.db.collection('webhookDeliveries').findOne();
  const pages = {
    overview: '/',
    partners: '/partners',
    'a partner': `/partners/${keyId.toHexString()}`,
    catalogue: `/catalogue?org=${organization}`,
    'a lead': `/leads/${organization}/${hex('lead', 7)}`,
    'a reservation': `/reservations/${organization}/${hex('reservation', 7)}`,
    'a unit': `/units/${organization}/${hex('unit', 7)}`,
    endpoints: '/webhooks',
    'an endpoint': `/webhooks/${hex('endpoint', 0)}`,
    'a delivery': `/webhooks/deliveries/${delivery.toHexString()}`,
    log: '/log',
  };
  for (const [page, path] of Object.entries(pages)) {
    await timed(page, () => fetch(address + path, { headers: { cookie } }));
  }
  const form = /name="token" value="([^"]+)"/.exec(
    await (await fetch(`${address}/leads`, { headers: { cookie } })).text(),
  );
  const searches = {
    'leads by external id': ['/leads', recordSystemIdOf(0, 7)],
    'leads by number': ['/leads', '777'],
    'leads by phone': ['/leads', nationalPhone(0, 8)],
    'leads by email': ['/leads', 'mona.0.8@example.com'],
    'reservations by id': ['/reservations', 'reservation-7'],
    'units by id': ['/units', hex('unit', 7)],
    'nothing by phone': ['/leads', '+201999999999'],
  };
  for (const [search, [path, reference]] of Object.entries(searches)) {
    const body = new URLSearchParams({ token: form[1], organization, reference });
    const options = { method: 'POST', headers: { cookie }, body, redirect: 'manual' };
    await timed(search, () => fetch(address + path, options));
  }
  print(`resident at most ${service.memory().highest.toFixed(0)} MB`);
}

async function timed(name, request) {
  const times = [];
  let bytes = 0;
  for (let round = 0; round < warmUps + rounds; round++) {
    const startedAt = performance.now();
    const response = await request();
    const text = await response.text();
    if (response.status >= 400) throw new Error(`${name}: ${response.status} ${text}`);
    times.push(performance.now() - startedAt);
    bytes = text.length;
  }
  const [first] = times;
  const sorted = times.slice(warmUps).toSorted((a, b) => a - b);
  const figures = [first, sorted[Math.floor(rounds / 2)], sorted.at(-1)].map((time) =>
    time.toFixed(0).padStart(6),
  );
  print(
    `${name.padEnd(22)} first ${figures[0]} ms, median ${figures[1]} ms, longest ${figures[2]} ms, ${(bytes / 1e3).toFixed(0)} KB`,
  );
}

async function logIn(address) {
  const options = {
    method: 'POST',
    body: new URLSearchParams({ password }),
    redirect: 'manual',
  };
  const { headers } = await fetch(`${address}/login`, options);
  return headers.getSetCookie()[0].split(';')[0];
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

function print(line) {
  process.stdout.write(`${line}\n`);
}
