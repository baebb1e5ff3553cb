// The requests that are measured. `requests(seed)` makes a function that gives the bytes of the next request.
import { city, garden } from '../data/catalogue.mjs';
import { apiKeyOf, recordSystemIdOf } from '../data/names.mjs';
import { sizes } from '../data/sizes.mjs';
import {
  batchRequests,
  callbackRequests,
  hotLeadRequests,
  leadRequests,
  reconciliationRequests,
  reservationRequests,
  unitRequests,
} from './bodies.mjs';
import { randomNumbers } from './random.mjs';
import { getRequest } from './requests.mjs';

const clients = 32;
/** Responses larger than a megabyte keep a core busy with fewer. */
const large = { connections: 8 };
const brotli = { 'accept-encoding': 'br' };
const gardenUnits = `/compounds/${garden.slug}/units`;
const ofCity = `/units/export/all?compound=${city.slug}`;

/** Numbers that no request before had, so that no cached response fits. */
let unique = 0;

export const workloads = [
  reading('healthz', '/healthz'),
  reading('missing', '/nowhere', { expected: [404] }),
  writing('leads', (seed) => leadRequests(seed, () => 0)),
  writing('leads-50', (seed) => leadRequests(seed, oneOfFifty)),
  writing('leads-lone', (seed) => leadRequests(seed, () => 0), { connections: 1 }),
  writing('leads-batch', batchRequests, { connections: 1 }),
  writing('leads-hot', hotLeadRequests),
  writing('callback', callbackRequests),
  writing('reservation', reservationRequests, { connections: 8 }),
  writing('unit', unitRequests, { connections: 8 }),
  workload('reconciliation', { requests: reconciliationRequests, connections: 1 }),
  changing('lead', (random) => `/leads/${recordSystemIdOf(0, random.below(sizes.leads))}`),
  reading('compounds', '/compounds'),
  reading('units', gardenUnits, large),
  reading('units-br', gardenUnits, { ...large, headers: brotli }),
  tagged('units-304', gardenUnits, brotli),
  reading(
    'filtered',
    `/units?compound=${garden.slug}&status=Available&propertyType=Type%201,type-2&minPrice=1100000&maxPrice=1900000&sort=price&limit=20`,
  ),
  reading('export-json', `${ofCity}&format=json`, { connections: 2 }),
  reading('export-ndjson', `${ofCity}&format=ndjson`, { connections: 2 }),
  reading('export-csv', `${ofCity}&format=csv`, { connections: 2 }),
  changing(
    'compounds-cold',
    () => `/compounds?page=${1 + (unique % (sizes.compounds / 10))}&n=${nextUnique()}`,
  ),
  changing(
    'units-cold',
    () => `/units?compound=${garden.slug}&minPrice=${nextUnique() / 1_000}&limit=100`,
    large,
  ),
  reading('compounds-written', '/compounds', {
    writes: {
      collection: 'compounds',
      kind: 'compound',
      number: sizes.compounds - 1,
      field: 'area',
    },
  }),
  reading('units-written', gardenUnits, {
    ...large,
    writes: { collection: 'units', kind: 'unit', number: garden.firstUnit, field: 'price' },
  }),
];

/** The workloads whose name is one of the given, or begins with one of them; all without names. */
export function selected(list, names) {
  if (names === undefined) return list;
  const wanted = names.split(',');
  const found = list.filter(({ name }) =>
    wanted.some((one) => name === one || name.startsWith(`${one}-`) || name.startsWith(`${one}:`)),
  );
  if (found.length === 0) {
    throw new Error(
      `There is no workload ${names}; there are ${list.map(({ name }) => name).join(', ')}.`,
    );
  }
  return found;
}

/** Another path for each request. */
export function changing(name, nextPath, options = {}) {
  const requests = (seed) => {
    const random = randomNumbers(seed);
    return () => getRequest(nextPath(random));
  };
  return workload(name, { ...options, requests });
}

export function reading(name, path, { headers = {}, ...options } = {}) {
  const bytes = getRequest(path, headers);
  return workload(name, { ...options, requests: () => () => bytes });
}

export function writing(name, requests, options = {}) {
  return workload(name, { ...options, requests, expected: [200, 201], isWrite: true });
}

function tagged(name, path, headers) {
  const requests = (_seed, tag) => {
    const bytes = getRequest(path, { ...headers, 'if-none-match': tag });
    return () => bytes;
  };
  const taggedRequest = { path, headers: { ...headers, 'api-key': apiKeyOf(0) } };
  return workload(name, { requests, taggedRequest, expected: [304] });
}

function workload(name, options) {
  return { name, connections: clients, expected: [200], ...options };
}

function oneOfFifty(random) {
  return 1 + random.below(sizes.smallOrganizations);
}

function nextUnique() {
  unique += 1;
  return unique;
}
