import type { CountryCode } from 'libphonenumber-js';
import type { Contact } from '../contacts/contact.js';
import { phoneKey } from '../contacts/phone-number.js';
import type { ClientDocument } from './client.schema.js';

/** The fields of a client that a lead can decide. */
export type ClientFields = Pick<ClientDocument, 'name' | 'email' | 'phoneNumbers'>;

/**
 * A client's fields after a lead's contact was taken over: name and email replaced where the lead
 * has them, phones added that the client does not have yet ("Leads" 9).
 */
export function mergeContact(
  client: ClientFields,
  contact: Contact,
  country: CountryCode,
): ClientFields {
  const known = new Set(client.phoneNumbers.map((phone) => phoneKey(phone, country)));
  const sent = new Set(contact.phones.map((phone) => phoneKey(phone, country)));
  const added = [...sent].filter((phone) => !known.has(phone));
  const name = contact.name ?? client.name;
  const email = contact.email ?? client.email;
  return {
    ...(name === undefined ? {} : { name }),
    ...(email === undefined ? {} : { email }),
    phoneNumbers: [...client.phoneNumbers, ...added],
  };
}

/** The fields that {@link mergeContact} can change, for comparison. */
export function clientFields({ name, email, phoneNumbers }: ClientFields) {
  return { name: name ?? null, email: email ?? null, phoneNumbers };
}
