import type { ClientDocument } from './client.schema.js';

/** A client as outbound events show it. */
export function presentClient(client: ClientDocument) {
  return {
    _id: client._id.toHexString(),
    ...(client.name === undefined ? {} : { name: client.name }),
    ...(client.email === undefined ? {} : { email: client.email }),
    phoneNumbers: client.phoneNumbers ?? [],
    createdAt: client.createdAt.toISOString(),
    updatedAt: client.updatedAt.toISOString(),
  };
}
