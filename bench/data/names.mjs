// Names of the loaded documents: the same in every run, so that requests can be made without asking the
// database.
import { createHash } from 'node:crypto';
import { ObjectId } from 'mongodb';

/** When all loaded documents were written, unless they expire. */
export const loadedAt = new Date('2026-01-01T08:00:00.000Z');

const kinds = [
  'organization',
  'apiKey',
  'compound',
  'phase',
  'amenity',
  'propertyType',
  'unitDesign',
  'unit',
  'lead',
  'client',
  'reservation',
  'wallet',
  'endpoint',
  'event',
  'delivery',
  'counter',
  'changeLog',
];

/** The id of the document of a kind with a number. */
export function idOf(kind, number) {
  const code = kinds.indexOf(kind);
  if (code === -1) throw new Error(`There is no kind ${kind}.`);
  const tail = code.toString(16).padStart(4, '0') + number.toString(16).padStart(12, '0');
  return new ObjectId(`6955f1a0${tail}`);
}

/** Documents of a kind have numbers of their organization, which has less than this many of them. */
const numbersOfOrganization = 10_000_000;

/** The number of a document among those of its kind in all organizations. */
export function numberOf(organization, index) {
  return organization * numbersOfOrganization + index;
}

/** The API key of an organization; 0 is the large one, the small ones follow. */
export function apiKeyOf(organization) {
  return `iapi_bench_${organization}`;
}

export function hashOf(apiKey) {
  return createHash('sha256').update(apiKey).digest('hex');
}

/** The name of a compound of an organization. */
export function compoundName(organization, index) {
  return organization === 0 ? `Residence ${index}` : `Village ${organization} ${index}`;
}

export function recordSystemIdOf(organization, index) {
  return `crm-${organization}-${index}`;
}

/** The first phone of a loaded lead as people of the country spell it. */
export function nationalPhone(organization, index) {
  return `010${digits(organization, index)}`;
}

/** The second phone of a loaded lead, in the international spelling. */
export function internationalPhone(organization, index) {
  const number = digits(organization, index);
  return `+20 12${number.slice(0, 1)} ${number.slice(1, 4)} ${number.slice(4)}`;
}

/** The E.164 form of either. */
export function e164(phone) {
  const bare = phone.replaceAll(' ', '');
  return bare.startsWith('+') ? bare : `+20${bare.slice(1)}`;
}

function digits(organization, index) {
  return String(organization * 1_000_000 + index).padStart(8, '0');
}
