// Pages of the operator's console among much data: `npm run bench -- console [--sizes 50]`.
import { hashPassword } from '../../dist/core/values/password-hash.js';
import { loadEvents } from '../data/events.mjs';
import { loadData } from '../data/load.mjs';
import { idOf, nationalPhone, recordSystemIdOf } from '../data/names.mjs';
import { sizes, sizesAt } from '../data/sizes.mjs';
import { loadUsage } from '../data/usage.mjs';
import { startDatabase } from '../programs/database.mjs';
import { startService } from '../programs/service.mjs';
import { median, printTable } from '../report.mjs';

const eventsPerSize = 20_000;
/** Events are about so many leads, in turns. */
const leadsOfEvents = 20_000;
const keysOfUsage = 200;
const endpoints = 100;
const units = 50_000;
const smallOrganizations = 50;
const password = 'the password of the bench';
const warmUps = 2;
const tries = 10;
const hex = (kind, number) => idOf(kind, number).toHexString();
const organization = hex('organization', 0);

const pages = {
  overview: '/',
  'overview by hour': '/?by=hour',
  'overview by week': '/?by=week',
  partners: '/partners',
  'a partner': `/partners/${hex('apiKey', 1_000_000)}`,
  catalogue: `/catalogue?organization=${organization}`,
  'a lead': `/leads/${organization}/${hex('lead', 7)}`,
  'a reservation': `/reservations/${organization}/${hex('reservation', 7)}`,
  'a unit': `/units/${organization}/${hex('unit', 7)}`,
  endpoints: '/webhooks',
  'an endpoint': `/webhooks/${hex('endpoint', 0)}`,
  'a delivery': `/webhooks/deliveries/${hex('delivery', 0)}`,
  log: '/log',
};
/** Texts for the search box. */
const searches = {
  'leads by external id': recordSystemIdOf(0, 7),
  'leads by phone': nationalPhone(0, 8),
  'leads by email': 'mona.0.8@example.com',
  'reservations by id': 'reservation-7',
  'nothing by phone': '+201999999999',
};

export async function run({ programs, builds, options }) {
  const factor = Number(options.sizes ?? 50);
  const load = async (db) => {
    await loadData(db, { ...sizesAt(factor), units, smallOrganizations });
    await loadEvents(db, eventsPerSize * factor, Math.min(leadsOfEvents, sizes.leads));
    await loadUsage(db, keysOfUsage);
    await db.collection('webhookEndpoints').insertMany(Array.from({ length: endpoints }, endpoint));
  };
  const rows = [];
  for (const build of builds) {
    const context = { programs, build };
    const database = await startDatabase(context, { name: `console-${factor}`, load, cacheGB: 4 });
    const variables = { OPS_PORT: '0', OPS_PASSWORD: await hashPassword(password) };
    const service = await programs.add(
      startService({ build, database, folder: programs.folder }, { variables }),
    );
    const address = `${service.operationsUrl()}/console`;
    const cookie = await logIn(address);
    for (const [page, path] of Object.entries(pages)) {
      const request = { headers: { cookie } };
      rows.push([build.name, page, ...(await timed(service, address + path, request))]);
    }
    const form = await (await fetch(`${address}/search`, { headers: { cookie } })).text();
    const token = /name="token" value="([^"]+)"/.exec(form)[1];
    for (const [search, reference] of Object.entries(searches)) {
      const body = new URLSearchParams({ token, organization, reference });
      const request = { method: 'POST', headers: { cookie }, body, redirect: 'manual' };
      rows.push([build.name, search, ...(await timed(service, `${address}/search`, request))]);
    }
    await programs.end(service);
    await programs.end(database);
  }
  printTable(
    ['build', 'page', 'first ms', 'p50 ms', 'longest ms', 'processor ms', 'mongod ms', 'KB'],
    rows,
  );
}

async function timed(service, url, request) {
  const times = [];
  let bytes = 0;
  const before = service.processorTimes();
  for (let turn = 0; turn < warmUps + tries; turn++) {
    const startedAt = performance.now();
    const response = await fetch(url, request);
    const text = await response.text();
    if (response.status >= 400) throw new Error(`${url}: ${response.status} ${text}`);
    times.push(performance.now() - startedAt);
    bytes = text.length;
  }
  const after = service.processorTimes();
  const each = (name) => (after[name] - before[name]) / times.length / 1_000;
  const warm = times.slice(warmUps);
  const length = [times[0], median(warm), Math.max(...warm)];
  return [...length, each('own'), each('mongod'), bytes / 1_000];
}

async function logIn(address) {
  const body = new URLSearchParams({ password });
  const { headers } = await fetch(`${address}/login`, { method: 'POST', body, redirect: 'manual' });
  return headers.getSetCookie()[0].split(';')[0];
}

function endpoint(_, number) {
  const now = new Date();
  return {
    _id: idOf('endpoint', number),
    organizationId: idOf('organization', 0),
    url: 'https://crm.example.com/hooks',
    eventTypes: [],
    isEnabled: false,
    secret: 'none',
    createdAt: now,
    updatedAt: now,
  };
}
