// Creates the bodies of requests that write. Each service gets the same bodies, in the same order.
import {
  city,
  idOf,
  installments,
  leadsOf,
  personOf,
  recordSystemIdOf,
  sizes,
} from '../data/names.mjs';
import { postRequest, randomNumbers } from './requests.mjs';

const chequeReports = ['post_dated', 'collected', 'overdue', 'bounced', 'collected'];
/** The API accepts at most these numbers. */
const [leadsInBatch, chequesInLedger] = [100, 1_000];
/** One in ten updates changes the name; one in five requests creates a lead or unit. */
const [renamedEvery, createdEvery] = [10, 5];

/** Shared by all workloads, so that phones of new leads are never used twice. */
let created = 0;

/**
 * Generates 80 % updates and 20 % creations.
 *
 * @param pickOrganization returns the organization of the next request
 */
export function leadRequests(seed, pickOrganization) {
  const random = randomNumbers(seed);
  const next = leadBodies(random);
  return () => {
    const organization = pickOrganization(random);
    return postRequest('/leads', next(organization), organization);
  };
}

/** Sends the same leads in batches. */
export function batchRequests(seed) {
  const next = leadBodies(randomNumbers(seed));
  return () => {
    const batch = Array.from({ length: leadsInBatch }, () => next(0));
    return postRequest('/leads/batch', { leads: batch });
  };
}

function leadBodies(random) {
  let count = 0;
  return (organization) => {
    count += 1;
    return count % createdEvery === 0
      ? newLead(organization, random)
      : changedLead(organization, random.below(leadsOf(organization)), random);
  };
}

/** Updates one lead. */
export function hotLeadRequests(seed) {
  const random = randomNumbers(seed);
  return () => postRequest('/leads', changedLead(0, 0, random));
}

/** Reports cheques, which approve, cancel and recover reservations in rotation. */
export function callbackRequests(seed) {
  const random = randomNumbers(seed);
  let count = 0;
  return () => {
    count += 1;
    const body = {
      reservationId: idOf('reservation', random.below(sizes.reservations)).toHexString(),
      installmentId: installments[random.below(installments.length)],
      chequeNumber: `C-${count}`,
      chequeAmount: 250_000 + random.below(1_000),
      chequeStatus: chequeReports[count % chequeReports.length],
    };
    return postRequest('/reservations/webhook', body);
  };
}

/** Sends a partner's ledger of a thousand cheques; each tenth differs from ours. */
export function reconciliationRequests() {
  const cheques = Array.from({ length: chequesInLedger }, (_, index) => ({
    reservationId: idOf('reservation', index % sizes.reservations).toHexString(),
    installmentId: installments[Math.floor(index / sizes.reservations)],
    chequeStatus: index % 10 === 0 ? 'bounced' : 'pending',
  }));
  const request = postRequest('/reservations/reconciliation', { cheques });
  return () => request;
}

/** Updates reservations as their system posts them. */
export function reservationRequests(seed) {
  const random = randomNumbers(seed);
  return () => {
    const recordSystemId = `reservation-${random.below(sizes.reservations)}`;
    const partnerCollection = random.below(2) === 1;
    return postRequest('/reservations', { recordSystemId, partnerCollection });
  };
}

/** Updates units; one unit in five is new. */
export function unitRequests(seed) {
  const random = randomNumbers(seed);
  let count = 0;
  return () => {
    count += 1;
    const price = 1_000_000 + random.below(1e6);
    if (count % createdEvery !== 0) {
      const recordSystemId = `erp-${city.firstUnit + random.below(city.units)}`;
      return postRequest('/units', { recordSystemId, price });
    }
    created += 1;
    const recordSystemId = `new-unit-${created}`;
    return postRequest('/units', { recordSystemId, compound: city.slug, price });
  };
}

function changedLead(organization, index, random) {
  const person = personOf(organization, index);
  const isRenamed = random.below(renamedEvery) === 0;
  return {
    ...person,
    recordSystemId: recordSystemIdOf(organization, index),
    ...(isRenamed ? { name: `${person.name} ${random.below(1_000)}` } : {}),
    data: { leadSource: 'Website', budget: random.below(1e7), note: `Call ${random.below(1e6)}.` },
    additionalData: { utm_source: 'newsletter', utm_campaign: `spring ${random.below(100)}` },
  };
}

function newLead(organization, random) {
  created += 1;
  const number = String(created).padStart(8, '0');
  return {
    ...changedLead(organization, random.below(leadsOf(organization)), random),
    recordSystemId: `new-${created}`,
    name: `Omar Nabil ${created}`,
    email: `omar.${created}@example.com`,
    phoneNumber: `011${number}`,
    phoneNumber2: `+20 15 ${number}`,
  };
}
