import type { CountryCode } from 'libphonenumber-js';
import type { Contact } from '../contacts/contact.js';
import { phoneKey } from '../contacts/phone-number.js';
import type { ClientDocument } from './client.schema.js';

/** The fields of a client that a lead can decide. */
export type ClientFields = Pick<ClientDocument, 'name' | 'email' | 'phoneNumbers'>;

/**
 * A client's fields after a lead's contact was merged: name and email replaced where the lead
 * has them, phones added that the client does not have yet (rule LEAD-10).
 */
export function mergeContact(
  client: ClientFields,
  contact: Contact,
  country: CountryCode,
): ClientFields {
  const stored = client.phoneNumbers ?? [];
  const existing = new Set(stored.map((phone) => phoneKey(phone, country)));
  const phoneKeys = new Set(contact.phones.map((phone) => phoneKey(phone, country)));
  const name = contact.name ?? client.name;
  const email = contact.email ?? client.email;
  return {
    ...(name === undefined ? {} : { name }),
    ...(email === undefined ? {} : { email }),
    phoneNumbers: [...stored, ...[...phoneKeys].filter((phone) => !existing.has(phone))],
  };
}

/** The fields that {@link mergeContact} can change, for comparison. */
export function clientFields({ name, email, phoneNumbers }: ClientFields) {
  return { name: name ?? null, email: email ?? null, phoneNumbers: phoneNumbers ?? [] };
}
