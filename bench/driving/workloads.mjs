// What is measured: the requests of each workload, and which programs answer them.
import { city, garden } from '../data/catalogue.mjs';
import { sizes } from '../data/sizes.mjs';
import {
  batchRequests,
  callbackRequests,
  hotLeadRequests,
  leadRequests,
  reconciliationRequests,
} from './bodies.mjs';
import { randomNumbers } from './random.mjs';
import { getRequest } from './requests.mjs';

const clients = 32;
/** Fewer where an answer is larger than a megabyte: they keep a core busy just as well. */
const largeReaders = { connections: 8 };
const serviceAndReference = ['service', 'reference'];
const withCeiling = [...serviceAndReference, 'ceiling'];
const withFramework = ['service', 'framework'];
const written = [200, 201];
const brotli = { 'accept-encoding': 'br' };

/** The reads whose answers are compared, and have a ceiling. */
export const paths = {
  compounds: '/compounds',
  units: `/compounds/${garden.slug}/units`,
  filtered: `/units?compound=${garden.slug}&status=Available&propertyType=Type%201,type-2&minPrice=1100000&maxPrice=1900000&sort=price&limit=20`,
  export: `/units/export/all?format=json&compound=${city.slug}`,
};

/** Keys that no request before had. */
let coldKeys = 0;

export function coldCompounds() {
  coldKeys += 1;
  const page = 1 + (coldKeys % (sizes.compounds / 10));
  // A parameter that is ignored there makes another request of it all the same.
  return `/compounds?page=${page}&n=${coldKeys}`;
}

export function coldUnits() {
  coldKeys += 1;
  return `/units?compound=${garden.slug}&minPrice=${coldKeys / 1_000}&limit=100`;
}

/**
 * `requests(seed)` makes a function that gives the next request's bytes; a seed is the same for all subjects of a
 * round. `writes` names the collection of which a document changes every second meanwhile.
 */
const workloads = [
  fixed('healthz', '/healthz', { subjects: [...withFramework, 'reference'] }),
  fixed('missing', '/nowhere', { subjects: withFramework, expected: [404] }),
  leads('leads', () => 0, { subjects: withCeiling }),
  leads('leads-50', (random) => 1 + random.below(sizes.smallOrganizations)),
  leads('leads-lone', () => 0, { connections: 1 }),
  posting('leads-batch', batchRequests, { connections: 1, subjects: ['service'] }),
  posting('leads-hot', hotLeadRequests),
  posting('callback', callbackRequests),
  workload('reconciliation', {
    requests: reconciliationRequests,
    connections: 1,
    subjects: ['service'],
  }),
  fixed('compounds', paths.compounds, { subjects: withCeiling }),
  fixed('units', paths.units, { ...largeReaders, subjects: withCeiling }),
  fixed('units-br', paths.units, { ...largeReaders, subjects: withCeiling, headers: brotli }),
  fixed('units-304', paths.units, {
    subjects: withCeiling,
    headers: brotli,
    expected: [304],
    needsTag: true,
  }),
  fixed('filtered', paths.filtered, { subjects: withCeiling }),
  fixed('export', paths.export, { connections: 2 }),
  cold('compounds-cold', coldCompounds),
  cold('units-cold', coldUnits, largeReaders),
  fixed('compounds-written', paths.compounds, { writes: 'compounds' }),
  fixed('units-written', paths.units, { ...largeReaders, writes: 'units' }),
];

function workload(name, options) {
  return { name, subjects: serviceAndReference, connections: clients, expected: [200], ...options };
}

function fixed(name, path, { headers = {}, ...options }) {
  const requests = (_seed, tag) => {
    const bytes = getRequest(
      path,
      tag === undefined ? headers : { ...headers, 'if-none-match': tag },
    );
    return () => bytes;
  };
  return workload(name, { ...options, path, headers, requests });
}

function cold(name, nextPath, options = {}) {
  return workload(name, { ...options, requests: () => () => getRequest(nextPath()) });
}

function posting(name, requests, options = {}) {
  return workload(name, { ...options, requests, expected: written, isWrite: true });
}

function leads(name, pickOrganization, options) {
  return posting(name, (seed) => leadRequests(seed, pickOrganization), options);
}

/** The workloads whose name is one of the given, or begins with one of them. */
export function selected(names) {
  if (names === undefined) return workloads;
  const isSelected = ({ name }) => names.some((one) => name === one || name.startsWith(`${one}-`));
  return workloads.filter(isSelected);
}

/** The seed of a round. */
export const seedOf = (round) => randomNumbers(round + 1).below(1e9);
