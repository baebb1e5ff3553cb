// Defines the loaded documents. Responses show about 2.5 KB of a compound and 4 KB of a unit.
import {
  apiKeyOf,
  changedAt,
  city,
  compoundName,
  compoundsOf,
  garden,
  idOf,
  installments,
  leadsOf,
  loadedAt,
  numberOf,
  personOf,
  recordSystemIdOf,
  sha256,
  sizes,
} from './names.mjs';

const changedUnits = 100;
/** With the largest data, this many compounds have units and therefore phases. */
const compoundsWithPhases = 12;
const counts = { amenities: 12, propertyTypes: 5, unitDesigns: 30, phases: 5 };
const statuses = ['Available', 'Reserved', 'Sold'];
const cdn = 'https://cdn.example.com/catalogue';

/** Returns, for each collection of an organization, the number of documents and a function from index to document. */
export function documentsOf(organization) {
  const list = [
    ['organizations', 1, () => organizationDocument(organization)],
    ['apiKeys', 1, () => apiKey(organization)],
    ['counters', 1, () => counter(organization)],
    ['compounds', compoundsOf(organization), (index) => compound(organization, index)],
    ['leads', leadsOf(organization), (index) => lead(organization, index)],
    ['clients', leadsOf(organization), (index) => client(organization, index)],
  ];
  if (organization > 0) return list;
  return [
    ...list,
    ['amenities', counts.amenities, amenity],
    ['propertyTypes', counts.propertyTypes, propertyType],
    ['unitDesigns', counts.unitDesigns, unitDesign],
    ['phases', compoundsWithPhases * counts.phases, phase],
    ['changeLogs', sizes.leads, changeLog],
    ['units', sizes.units, unit],
    ['reservations', sizes.reservations, reservation],
    ['chequeWallets', sizes.reservations, wallet],
    ['webhookEndpoints', sizes.endpoints, endpoint],
  ];
}

function common(kind, number, organization = 0, place = 0) {
  const at = new Date(loadedAt.getTime() + place * 1_000);
  const organizationId = idOf('organization', organization);
  return {
    _id: idOf(kind, number),
    organizationId,
    isDeleted: false,
    createdAt: at,
    updatedAt: at,
  };
}

function organizationDocument(organization) {
  const { organizationId: _id, ...times } = common('organization', organization, organization);
  return {
    ...times,
    _id,
    name: `Organization ${organization}`,
    logo: `${cdn}/logo.png`,
    settings: {},
  };
}

function apiKey(organization) {
  const key = apiKeyOf(organization);
  const permissions = { allowExternal: true, readEvents: true };
  const fields = { name: 'Bench', prefix: key.slice(0, 11), hash: sha256(key), permissions };
  return { ...common('apiKey', organization, organization), ...fields, revokedAt: null };
}

function counter(organization) {
  const { _id, organizationId } = common('counter', organization, organization);
  return { _id, organizationId, name: 'leadId', value: leadsOf(organization) };
}

function lead(organization, index) {
  const person = personOf(organization, index);
  const phones = [person.phoneNumber, person.phoneNumber2].filter(Boolean);
  const compoundNumber = numberOf(organization, index % compoundsOf(organization));
  return {
    ...common('lead', numberOf(organization, index), organization),
    leadId: index + 1,
    data: { ...person, leadSource: 'Website', budget: 5_000_000, note: 'Called twice.' },
    additionalData: { utm_source: 'newsletter', utm_campaign: 'spring', landing: '/offers/1' },
    phoneKeys: phones.map(e164),
    phoneKeysOf: JSON.stringify([3, 'EG', ...phones]),
    emailKey: (person.email ?? '').toLowerCase(),
    // Marks writes of the service itself, so that its background job derives no phone keys.
    phoneKeysAt: loadedAt,
    compoundsIds: [idOf('compound', compoundNumber)],
    clientId: idOf('client', numberOf(organization, index)),
    recordSystemId: recordSystemIdOf(organization, index),
    assignedToId: null,
    parentId: null,
    isActive: true,
  };
}

function client(organization, index) {
  const { name, email, phoneNumber, phoneNumber2 } = personOf(organization, index);
  const phoneNumbers = [phoneNumber, phoneNumber2].filter(Boolean).map(e164);
  const fields = common('client', numberOf(organization, index), organization);
  return { ...fields, name, email, phoneNumbers, phoneRule: '[3,"EG"]' };
}

function e164(phone) {
  return phone.replace(/^0/, '+20');
}

function changeLog(index) {
  return {
    ...common('changeLog', index),
    entity: 'Lead',
    entityId: idOf('lead', index),
    context: 'External Lead Create',
    modifier: 'External API',
    source: 'API',
    changes: [{ field: 'data.note', from: null, to: 'Called twice.' }],
  };
}

/** Returns a reservation of a unit of the large compound, and its wallet of three cheques. */
function reservation(index) {
  return {
    ...common('reservation', index),
    unitId: idOf('unit', city.firstUnit + index),
    leadId: idOf('lead', index),
    recordSystemId: `reservation-${index}`,
    status: 'pending_cheque_collection',
    partnerCollection: { isActive: true },
  };
}

function wallet(index) {
  const cheque = { status: 'pending', chequeNumber: `C-${index}`, chequeAmount: 250_000 };
  return {
    ...common('wallet', index),
    reservationId: idOf('reservation', index),
    unitId: idOf('unit', city.firstUnit + index),
    cheques: installments.map((installmentId) => ({ installmentId, ...cheque, statusHistory: [] })),
  };
}

function endpoint(index) {
  const url = 'https://crm.example.com/hooks';
  const { isDeleted: _none, ...fields } = common('endpoint', index);
  return { ...fields, url, eventTypes: [], isEnabled: false, secret: 'none' };
}

function many(count, make) {
  return Array.from({ length: count }, (_, index) => make(index));
}

function localized(text) {
  return { 'en-us': text, 'ar-eg': `${text} بالعربية` };
}

function pictures(folder, count) {
  return many(count, (index) => ({
    image: `${cdn}/${folder}/picture-${index}.jpg`,
    type: 'image',
  }));
}

function brochures(folder, ...names) {
  return names.map((name) => ({
    dateUploaded: loadedAt,
    name,
    url: `${cdn}/${folder}/${name}.pdf`,
  }));
}

function compound(organization, index) {
  const slug = organization === 0 ? `residence-${index}` : `village-${organization}-${index}`;
  return {
    ...common('compound', numberOf(organization, index), organization, index),
    type: 'Compound',
    name: localized(compoundName(organization, index)),
    slug,
    description: localized('Villas and flats around a lake, with a school and a club. '.repeat(5)),
    saleType: 'primary',
    logo: `${cdn}/${slug}/logo.png`,
    mainImageUrl: `${cdn}/${slug}/main.jpg`,
    media: pictures(slug, 10),
    constructionUpdates: pictures(`${slug}/construction`, 3),
    brochures: brochures(slug, 'Master plan', 'Prices', 'Payment plans'),
    area: 100_000 + index,
    numberOfUnits: 300,
    isPublished: true,
    EOIUnitTypes: ['Villa', 'Flat'],
  };
}

/** Returns a document whose name and slug consist of a word and its number. */
function named(kind, word, number, fields) {
  const names = { name: localized(`${word} ${number}`), slug: `${word.toLowerCase()}-${number}` };
  return { ...common(kind, number, 0, number), ...names, ...fields };
}

function amenity(index) {
  return named('amenity', 'Amenity', index, { icon: `${cdn}/amenities/${index}.svg` });
}

function propertyType(index) {
  return named('propertyType', 'Type', index);
}

function phase(number) {
  return named('phase', 'Phase', number, {
    parentId: idOf('compound', Math.floor(number / counts.phases)),
    description: localized('The houses by the lake. '.repeat(4)),
    media: pictures(`phases/${number}`, 3),
  });
}

function unitDesign(index) {
  return named('unitDesign', 'Design', index, {
    description: localized('Three bedrooms and a garden. '.repeat(6)),
    bua: 200 + index,
    bedrooms: index % 5,
    media: pictures(`designs/${index}`, 3),
    amenitiesIds: [0, 1, 2].map((number) => idOf('amenity', number)),
    type: 'Villa',
  });
}

function unit(place) {
  const number = place < garden.units ? 0 : 1 + Math.floor((place - garden.units) / city.units);
  const index = place - (number === 0 ? 0 : garden.units + (number - 1) * city.units);
  return named('unit', 'Unit', place, {
    ...(place < changedUnits ? { updatedAt: changedAt } : {}),
    compoundId: idOf('compound', number),
    locationId: idOf('phase', number * counts.phases + (index % counts.phases)),
    unitDesignId: idOf('unitDesign', index % counts.unitDesigns),
    propertyTypeId: idOf('propertyType', index % counts.propertyTypes),
    recordSystemId: `erp-${place}`,
    unitId: `U-${place}`,
    status: statuses[index % statuses.length],
    rentalStatus: 'Unavailable',
    saleType: 'primary',
    bua: 100 + (index % 200),
    price: 1_000_000 + ((place * 7_919) % 1_000_000),
    beds: index % 5,
    floor: { name: 'Ground' },
    media: pictures(`units/${place}`, 3),
    amenitiesIds: many(4, (shift) => idOf('amenity', (index + shift) % counts.amenities)),
    listingType: ['sale'],
  });
}
