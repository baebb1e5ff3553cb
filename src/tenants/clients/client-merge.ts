import type { CountryCode } from 'libphonenumber-js';
import { fieldChanges } from '../change-log/field-changes.js';
import type { Contact } from '../contacts/contact.js';
import { phoneKey } from '../contacts/phone-number.js';
import { textsOf } from '../../core/values/text.js';
import type { ClientDocument } from './client.schema.js';

/** Most phones of a client (rule LEAD-10). */
export const phonesLimit = 100;

/** The fields of a client that a lead can decide. */
export type ClientFields = Pick<ClientDocument, 'name' | 'email' | 'phoneNumbers'>;

/**
 * A client's fields after a lead's contact was merged: name and email replaced where the lead
 * has them, phones added (rule LEAD-10).
 *
 * @param contact with the email that the client may take and the phones that it lacks
 */
export function mergeContact(
  client: ClientFields,
  contact: Contact,
  country: CountryCode,
): ClientFields {
  const stored = textsOf(client.phoneNumbers);
  const phoneKeys = new Set(contact.phones.map((phone) => phoneKey(phone, country)));
  const name = contact.name ?? client.name;
  const email = contact.email ?? client.email;
  return {
    ...(name === undefined ? {} : { name }),
    ...(email === undefined ? {} : { email }),
    phoneNumbers: [...stored, ...phoneKeys],
  };
}

/** What a merge changed; of the phones only those that it added, which stand last. */
export function clientChanges(client: ClientFields, merged: ClientFields): object[] {
  const added = textsOf(merged.phoneNumbers).slice(textsOf(client.phoneNumbers).length);
  const names = fieldChanges(
    { name: client.name ?? null, email: client.email ?? null },
    { name: merged.name ?? null, email: merged.email ?? null },
  );
  return added.length === 0 ? names : [...names, { field: 'phoneNumbers', added }];
}
