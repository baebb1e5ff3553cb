// What is asked while data, instances and organizations grow. The work of a request stays the same.
import { garden } from '../data/catalogue.mjs';
import { changedAt } from '../data/growing.mjs';
import { apiKeyOf, recordSystemIdOf } from '../data/names.mjs';
import { sizes } from '../data/sizes.mjs';
import { callbackRequests, leadRequests } from './bodies.mjs';
import { randomNumbers } from './random.mjs';
import { getRequest } from './requests.mjs';

const many = 32;
const few = 4;
const written = [200, 201];
/** Asks for what is in the database: nothing that is kept is used. */
const anew = { 'cache-control': 'no-cache' };

/** Prices that no request before had. */
let newPrices = 0;

const writes = [
  posting('POST /leads', (seed) => leadRequests(seed, () => 0)),
  posting('POST /leads, one client', (seed) => leadRequests(seed, () => 0), { connections: 1 }),
  posting('callback', callbackRequests),
];

/** Twenty units each. */
const pages = {
  'newest first': '',
  'by price': 'sort=price',
  'by name': 'sort=name',
  'by status': 'sort=status',
  'by status, price down': 'sort=status,-price',
  'by beds down, price': 'sort=-beds,price',
  'by status, beds, name': 'sort=status,beds,name',
  'by price, newest first': 'sort=price,-createdAt',
  'a status': 'status=available',
  'a status by price': 'status=available&sort=price',
  'a compound of 300': `compound=${garden.slug}`,
  'a compound of 300 by price': `compound=${garden.slug}&sort=-price`,
  'a property type': 'propertyType=type-3',
  'an amenity': 'amenities=Amenity 3',
  'a unit id': 'unitId=U-7',
  'page 40': 'page=40',
  'all that has changed: 100': `updatedSince=${changedAt.toISOString()}`,
  'nothing has changed': 'updatedSince=2026-11-01T00:00:00.000Z',
  'behind a cursor': 'after=0',
};

const reads = [
  reading('GET /leads/:id', (random) => `/leads/${recordSystemIdOf(0, random.below(sizes.leads))}`),
  reading('units of a compound of 300', () => `/compounds/${garden.slug}/units`),
  reading('export of a compound of 300', () => `/units/export/all?compound=${garden.slug}`),
  ...Object.entries(pages).map(([name, query]) =>
    reading(`page: ${name}`, () => encodeURI(`/units?limit=20&${query}`)),
  ),
  reading('page: half by price, another price each time', () => {
    newPrices += 1;
    return `/units?limit=20&minPrice=${1_500_000 + newPrices / 1_000}`;
  }),
  reading('page: newest first, counted', () => '/units?limit=20', { headers: anew }),
  reading('page: newest first, one written a second', () => '/units?limit=20', { writes: 'units' }),
];

/** For each size of the data, by a service that keeps parts of responses, such as counts, and no whole ones. */
export const ofSizes = [...writes, ...reads];

const compounds = reading('GET /compounds', () => '/compounds', { connections: many });

/** For one and more instances; compounds are repeated. */
export const ofInstances = [
  ...writes.filter(({ connections }) => connections === many),
  ...reads.filter(({ name }) => name === 'GET /leads/:id'),
  reading('page: newest first, counted', () => '/units?limit=20', { headers: anew }),
  compounds,
];

/** For one and for a thousand organizations with as many leads together; compounds are repeated. */
export const ofOrganizations = {
  1: { database: 'size1', workloads: [writes[0], reads[0], compounds] },
  '1,000': {
    database: 'thousand',
    workloads: [
      posting('POST /leads', (seed) => leadRequests(seed, anySmall)),
      reading('GET /leads/:id', anyLeadOf, { pick: anySmall }),
      reading('GET /compounds', () => '/compounds', {
        connections: many,
        pick: anySmall,
      }),
    ],
  },
};

function anyLeadOf(random, organization) {
  return `/leads/${recordSystemIdOf(organization, random.below(sizes.leadsOfSmall))}`;
}

function anySmall(random) {
  return 1 + random.below(sizes.smallOrganizations);
}

function posting(name, requests, options = {}) {
  return { name, requests, connections: many, expected: written, isWrite: true, ...options };
}

/** @param pathOf gives the path of the next request, and `pick` the organization that sends it */
function reading(name, pathOf, { pick = () => 0, headers = {}, ...options } = {}) {
  const requests = (seed) => {
    const random = randomNumbers(seed);
    return () => {
      const organization = pick(random);
      const key = { 'api-key': apiKeyOf(organization) };
      return getRequest(pathOf(random, organization), { ...headers, ...key });
    };
  };
  return { name, requests, connections: few, expected: [200], ...options };
}
