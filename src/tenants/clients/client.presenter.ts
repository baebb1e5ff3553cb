import { phoneLimit } from '../contacts/phone-number.js';
import { textsOf } from '../../core/values/text.js';
import { phonesLimit } from './client-merge.js';
import type { ClientDto } from './client.dto.js';
import type { ClientDocument } from './client.schema.js';

/** A client as outbound events show it. */
export function presentClient(client: ClientDocument): ClientDto {
  return {
    _id: client._id.toHexString(),
    ...(client.name === undefined ? {} : { name: client.name }),
    ...(client.email === undefined ? {} : { email: client.email }),
    phoneNumbers: shownPhones(textsOf(client.phoneNumbers)),
    createdAt: client.createdAt.toISOString(),
    updatedAt: client.updatedAt.toISOString(),
  };
}

/** Other programs may have stored any number of phones of any length. */
function shownPhones(phones: readonly string[]): string[] {
  return phones.filter((phone) => phone.length <= phoneLimit).slice(0, phonesLimit);
}
