// Leads with their clients, and reservations with their wallets.
import { city } from './catalogue.mjs';
import {
  compoundName,
  e164,
  idOf,
  internationalPhone,
  loadedAt,
  nationalPhone,
  numberOf,
  recordSystemIdOf,
} from './names.mjs';
import { sizes } from './sizes.mjs';

const country = 'EG';

/** How many leads an organization has. */
export function leadsOf(organization) {
  return organization === 0 ? sizes.leads : sizes.leadsOfSmall;
}

/** The compound that a lead is interested in. */
export function projectOf(organization, index) {
  return index % (organization === 0 ? sizes.compounds : sizes.compoundsOfSmall);
}

/** Contacts of a lead; every second lead has a second phone. */
export function personOf(organization, index) {
  const first = { phoneNumber: nationalPhone(organization, index) };
  const second = { phoneNumber2: internationalPhone(organization, index) };
  return {
    name: `Mona Adel ${organization} ${index}`,
    email: `mona.${organization}.${index}@example.com`,
    ...first,
    ...(index % 2 === 0 ? second : {}),
    project: compoundName(organization, projectOf(organization, index)),
  };
}

/** The counter of lead numbers of an organization; a small one's leads, and one client for each. */
export function peopleOf(organization) {
  const value = leadsOf(organization);
  const indexes = Array.from({ length: organization === 0 ? 0 : value }, (_, index) => index);
  return {
    leads: indexes.map((index) => lead(organization, index)),
    clients: indexes.map((index) => client(organization, index)),
    counters: [
      {
        _id: idOf('counter', organization),
        organizationId: idOf('organization', organization),
        name: 'leadId',
        value,
      },
    ],
  };
}

/** The cheques of every wallet. */
export const installments = ['installment-1', 'installment-2', 'installment-3'];

function common(kind, number, organization) {
  return {
    _id: idOf(kind, number),
    organizationId: idOf('organization', organization),
    isDeleted: false,
    createdAt: loadedAt,
    updatedAt: loadedAt,
  };
}

export function lead(organization, index) {
  const number = numberOf(organization, index);
  const person = personOf(organization, index);
  const phones = [person.phoneNumber, person.phoneNumber2].filter(Boolean);
  return {
    ...common('lead', number, organization),
    leadId: index + 1,
    data: { ...person, leadSource: 'Website', budget: 5_000_000, note: 'Called twice.' },
    additionalData: { utm_source: 'newsletter', utm_campaign: 'spring', landing: '/offers/1' },
    phoneKeys: phones.map(e164),
    phoneKeysOf: JSON.stringify([country, ...phones]),
    // Written by this service: its pass over the leads of other programs has nothing to do.
    phoneKeysAt: loadedAt,
    compoundsIds: [idOf('compound', numberOf(organization, projectOf(organization, index)))],
    clientId: idOf('client', number),
    recordSystemId: recordSystemIdOf(organization, index),
    assignedToId: null,
    parentId: null,
    isActive: true,
  };
}

export function client(organization, index) {
  const { name, email, phoneNumber, phoneNumber2 } = personOf(organization, index);
  return {
    ...common('client', numberOf(organization, index), organization),
    name,
    email,
    phoneNumbers: [phoneNumber, phoneNumber2].filter(Boolean).map(e164),
  };
}

export function changeLog(index) {
  return {
    ...common('changeLog', index, 0),
    entity: 'Lead',
    entityId: idOf('lead', index),
    context: 'External Lead Create',
    modifier: 'External API',
    source: 'API',
    changes: [{ field: 'data.note', from: null, to: 'Called twice.' }],
  };
}

/** A reservation of a unit of the large compound, and its wallet of three cheques. */
export function reservation(index) {
  return {
    ...common('reservation', index, 0),
    unitId: idOf('unit', city.firstUnit + index),
    leadId: idOf('lead', index),
    recordSystemId: `reservation-${index}`,
    status: 'pending_cheque_collection',
    partnerCollection: { isActive: true },
  };
}

export function wallet(index) {
  return {
    ...common('wallet', index, 0),
    reservationId: idOf('reservation', index),
    unitId: idOf('unit', city.firstUnit + index),
    cheques: installments.map((installmentId) => ({
      installmentId,
      status: 'pending',
      chequeNumber: `C-${index}`,
      chequeAmount: 250_000,
      statusHistory: [],
    })),
  };
}
