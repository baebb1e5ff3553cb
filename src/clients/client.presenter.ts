import type { ClientDocument } from './client.schema.js';

/** A client as outbound events show it. */
export interface PresentedClient {
  readonly _id: string;
  readonly name?: string;
  readonly email?: string;
  readonly phoneNumbers: readonly string[];
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** What leaves the service of a stored client. */
export function presentClient(client: ClientDocument): PresentedClient {
  return {
    _id: client._id.toHexString(),
    ...(client.name === undefined ? {} : { name: client.name }),
    ...(client.email === undefined ? {} : { email: client.email }),
    phoneNumbers: client.phoneNumbers,
    createdAt: client.createdAt.toISOString(),
    updatedAt: client.updatedAt.toISOString(),
  };
}
