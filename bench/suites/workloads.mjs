// Defines the measured requests of each suite. `requests(seed, service)` returns a function that returns the next one.
import { hashPassword } from '../../dist/core/values/password-hash.js';
import {
  changedAt,
  city,
  garden,
  idOf,
  personOf,
  recordSystemIdOf,
  sizes,
} from '../data/names.mjs';
import {
  batchRequests,
  callbackRequests,
  hotLeadRequests,
  leadRequests,
  reconciliationRequests,
  reservationRequests,
  unitRequests,
} from '../load/bodies.mjs';
import { getRequest, prefix, randomNumbers } from '../load/requests.mjs';

const clients = 32;
/** Fewer connections suffice for responses larger than a megabyte. */
const largeResponses = { connections: 8 };
/** More connections would make large responses wait for each other. */
const fewConnections = { connections: 4 };
const brotli = { 'accept-encoding': 'br' };
const gardenUnits = `/compounds/${garden.slug}/units`;
const cityExport = `/units/export/all?compound=${city.slug}`;
const filters = 'status=Available&propertyType=Type%201,type-2&minPrice=1100000&maxPrice=1900000';

/** Returns unused numbers, for which no response is cached. */
let unique = 0;

const requests = [
  reading('healthz', '/healthz'),
  reading('missing', '/nowhere', { expected: [404] }),
  writing('leads', (seed) => leadRequests(seed, () => 0)),
  writing('leads-50', (seed) => leadRequests(seed, oneOfFifty)),
  writing('leads-lone', (seed) => leadRequests(seed, () => 0), { connections: 1 }),
  writing('leads-batch', batchRequests, { connections: 1 }),
  writing('leads-hot', hotLeadRequests),
  writing('callback', callbackRequests),
  writing('reservation', reservationRequests, largeResponses),
  writing('unit', unitRequests, largeResponses),
  workload('reconciliation', reconciliationRequests, { connections: 1 }),
  changing('lead', (random) => `/leads/${recordSystemIdOf(0, random.below(sizes.leads))}`),
  reading('compounds', '/compounds'),
  reading('units', gardenUnits, largeResponses),
  reading('units-br', gardenUnits, { ...largeResponses, headers: brotli }),
  workload('units-304', unchangedUnits, { expected: [304] }),
  reading('filtered', `/units?compound=${garden.slug}&${filters}&sort=price&limit=20`),
  ...['json', 'ndjson', 'csv'].map((format) =>
    reading(`export-${format}`, `${cityExport}&format=${format}`, { connections: 2 }),
  ),
  changing(
    'compounds-cold',
    () => `/compounds?page=${1 + (unique % (sizes.compounds / 10))}&n=${nextUnique()}`,
  ),
  changing(
    'units-cold',
    () => `/units?compound=${garden.slug}&minPrice=${nextUnique() / 1_000}&limit=100`,
    largeResponses,
  ),
  reading('compounds-written', '/compounds', { writes: changes('compound', 'area') }),
  reading('units-written', gardenUnits, { ...largeResponses, writes: changes('unit', 'price') }),
];

/** Pages of twenty units. */
const pages = {
  'newest first': '',
  'by price': 'sort=price',
  'by name': 'sort=name',
  'by status, price down': 'sort=status,-price',
  'a status': 'status=available',
  'a status by price': 'status=available&sort=price',
  'a compound of 300': `compound=${garden.slug}`,
  'a property type': 'propertyType=type-3',
  'an amenity': 'amenities=Amenity 3',
  'a unit id': 'unitId=U-7',
  'page 40': 'page=40',
  'all that has changed: 100': `updatedSince=${changedAt.toISOString()}`,
  'after a cursor': 'after=0',
};

const growth = [
  writing('POST /leads', (seed) => leadRequests(seed, () => 0)),
  writing('callback', callbackRequests),
  changing(
    'GET /leads/:id',
    (random) => `/leads/${recordSystemIdOf(0, random.below(sizes.leads))}`,
    fewConnections,
  ),
  reading('units of a compound of 300', gardenUnits, fewConnections),
  ...Object.entries(pages).map(([name, query]) =>
    reading(`page: ${name}`, encodeURI(`/units?limit=20&${query}`), fewConnections),
  ),
  reading('events: first thousand', '/events?limit=1000', { connections: 1 }),
  changing('events: last thousand', () => `/events?limit=1000&after=${sizes.events - 1_000}`, {
    connections: 1,
  }),
];

const hexId = (kind, number) => idOf(kind, number).toHexString();
const organization = hexId('organization', 0);
const consolePages = {
  overview: '/',
  'overview of a week': '/?range=week',
  partners: '/partners',
  'keys that could be reduced': '/partners?show=reducible',
  'a partner': `/partners/${hexId('apiKey', 1_000_000)}`,
  'a lead': `/leads/${organization}/${hexId('lead', 7)}`,
  'a reservation': `/reservations/${organization}/${hexId('reservation', 7)}`,
  'a unit': `/units/${organization}/${hexId('unit', 7)}`,
  endpoints: '/webhooks',
  'an endpoint': `/webhooks/${hexId('endpoint', 0)}`,
  'a delivery': `/webhooks/deliveries/${hexId('delivery', 0)}`,
  log: '/log',
};
/** The search page gets these texts. */
const searches = {
  'leads by external id': recordSystemIdOf(0, 7),
  'leads by phone': personOf(0, 8).phoneNumber,
  'leads by email': personOf(0, 8).email,
  'reservations by id': 'reservation-7',
  'nothing by phone': '+201999999999',
};
const password = 'the password of the bench';

/** The runner measures these on the usual data, or on one organization with multiples of its first size. */
export const suites = {
  requests: { workloads: requests },
  // The cache holds counts, but not a single page.
  growth: {
    workloads: growth,
    factors: '1,10,100',
    variables: () => ({ RESPONSE_CACHE_BYTES: '65536' }),
  },
  console: {
    workloads: [
      ...Object.entries(consolePages).map(([name, path]) =>
        inConsole(name, () => ({ method: 'GET', path: `/console${path}` })),
      ),
      ...Object.entries(searches).map(([name, reference]) =>
        inConsole(`search: ${name}`, ({ token }) => ({
          method: 'POST',
          path: '/console/search',
          body: new URLSearchParams({ token, reference }).toString(),
        })),
      ),
    ],
    factors: '50',
    more: { units: 50_000, smallOrganizations: 50, endpoints: 100, usageKeys: 200 },
    variables: async () => ({ OPS_PASSWORD: await hashPassword(password) }),
    session: logIn,
  },
};

async function logIn(service) {
  const url = service.operationsUrl();
  const body = new URLSearchParams({ password });
  const response = await fetch(`${url}/console/login`, {
    method: 'POST',
    body,
    redirect: 'manual',
  });
  const cookie = response.headers.getSetCookie()[0].split(';')[0];
  const form = await (await fetch(`${url}/console/search`, { headers: { cookie } })).text();
  return { url, cookie, token: /name="token" value="([^"]+)"/.exec(form)[1] };
}

function inConsole(name, make) {
  const ofSession = (_seed, { session }) => {
    const type = 'application/x-www-form-urlencoded';
    const request = { ...make(session), headers: { cookie: session.cookie, 'content-type': type } };
    return () => request;
  };
  return workload(name, ofSession, { connections: 1, expected: [200, 303] });
}

/** Uses a different path for each request. */
function changing(name, nextPath, options) {
  const requestsOf = (seed) => {
    const random = randomNumbers(seed);
    return () => getRequest(nextPath(random));
  };
  return workload(name, requestsOf, options);
}

function reading(name, path, { headers, ...options } = {}) {
  const request = getRequest(path, headers);
  return workload(name, () => () => request, options);
}

function writing(name, requestsOf, options) {
  return workload(name, requestsOf, { ...options, expected: [200, 201], isWrite: true });
}

function workload(name, requestsOf, options) {
  return { name, requests: requestsOf, connections: clients, expected: [200], ...options };
}

async function unchangedUnits(_seed, { url }) {
  const { headers } = getRequest(gardenUnits, brotli);
  const response = await fetch(url + prefix + gardenUnits, { headers });
  await response.arrayBuffer();
  const tag = response.headers.get('etag');
  const request = getRequest(gardenUnits, { ...brotli, 'if-none-match': tag });
  return () => request;
}

/** Changes a document that is shown, as another program does. */
function changes(kind, field) {
  return ({ db }) => {
    const $set = { [field]: 1_000_000 + nextUnique(), updatedAt: new Date() };
    return db.collection(`${kind}s`).updateOne({ _id: idOf(kind, 0) }, { $set });
  };
}

function oneOfFifty(random) {
  return 1 + random.below(sizes.smallOrganizations);
}

function nextUnique() {
  unique += 1;
  return unique;
}
