// Names and sizes of the loaded documents are equal in every run, so that requests need no database queries.
import { createHash } from 'node:crypto';
import { ObjectId } from 'mongodb';

/** All documents that do not expire were written at this time. */
export const loadedAt = new Date('2026-01-01T08:00:00.000Z');

/** The first compound has 300 units; each further one has 10,000. */
export const garden = { slug: 'residence-0', firstUnit: 0, units: 300 };
export const city = { slug: 'residence-1', firstUnit: 300, units: 10_000 };

/** The units that pollers request changed at this time; their number is constant. */
export const changedAt = new Date('2026-02-01T08:00:00.000Z');

/** Every wallet has these cheques. */
export const installments = ['installment-1', 'installment-2', 'installment-3'];

const defaultSizes = {
  leads: 20_000,
  units: 10_300,
  compounds: 1_000,
  reservations: 2_000,
  deliveries: 1_000_000,
  events: 0,
  endpoints: 0,
  usageKeys: 0,
  smallOrganizations: 50,
  leadsOfSmall: 200,
  compoundsOfSmall: 20,
};

/** Sizes of the data of the current measurement. */
export const sizes = { ...defaultSizes };

/** Returns the sizes of a single organization with a multiple of its first size. */
export function sizesAt(factor) {
  const first = {
    leads: 20_000,
    units: 1_000,
    reservations: 500,
    deliveries: 10_000,
    events: 20_000,
  };
  const multiples = Object.entries(first).map(([name, count]) => [name, count * factor]);
  return { ...Object.fromEntries(multiples), smallOrganizations: 0 };
}

/** Sets the sizes of data and requests; sizes that are not given keep their defaults. */
export function useSizes(chosen) {
  Object.assign(sizes, defaultSizes, chosen);
}

export function sha256(...parts) {
  return parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest('hex');
}

const codes = {};

/** Returns the id of a kind's document with a number. */
export function idOf(kind, number) {
  codes[kind] ??= sha256(kind).slice(0, 4);
  return new ObjectId(`6955f1a0${codes[kind]}${number.toString(16).padStart(12, '0')}`);
}

/** Returns a document's number among those of its kind in all organizations; none has ten million. */
export function numberOf(organization, index) {
  return organization * 10_000_000 + index;
}

/** Returns the API key of an organization: 0 is the large one, followed by the small ones. */
export function apiKeyOf(organization) {
  return `iapi_bench_${organization}`;
}

export function compoundName(organization, index) {
  return organization === 0 ? `Residence ${index}` : `Village ${organization} ${index}`;
}

export function recordSystemIdOf(organization, index) {
  return `crm-${organization}-${index}`;
}

export function leadsOf(organization) {
  return organization === 0 ? sizes.leads : sizes.leadsOfSmall;
}

export function compoundsOf(organization) {
  return organization === 0 ? sizes.compounds : sizes.compoundsOfSmall;
}

/** Contacts of a lead; every second lead has a second phone. */
export function personOf(organization, index) {
  const digits = String(organization * 1_000_000 + index).padStart(8, '0');
  return {
    name: `Mona Adel ${organization} ${index}`,
    email: `mona.${organization}.${index}@example.com`,
    phoneNumber: `010${digits}`,
    ...(index % 2 === 0 ? { phoneNumber2: `+2012${digits}` } : {}),
    project: compoundName(organization, index % compoundsOf(organization)),
  };
}
