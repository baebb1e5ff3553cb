import type { CountryCode } from 'libphonenumber-js';
import type { Types } from 'mongoose';
import { phoneKey } from '../contacts/phone-number.js';
import { foldCase } from '../localization/fold-case.js';
import type { PendingEvent } from '../webhooks/outbox/pending-event.js';
import type { ClientDocument } from './client.schema.js';

/** What became of a client, and the event about it. */
export interface ClientChange {
  readonly client: ClientDocument;
  readonly isNew: boolean;
  readonly event: PendingEvent;
}

/**
 * The clients that a group of leads may touch, as the database has them and as the leads decided so
 * far leave them.
 */
export class ClientRecords {
  private readonly clients: Map<string, ClientDocument>;
  private readonly changed = new Map<string, ClientChange>();

  /**
   * @param phones that were looked for; other programs may store any number of others, which are
   * not parsed
   */
  constructor(
    stored: readonly ClientDocument[],
    private readonly phones: ReadonlySet<string>,
  ) {
    const oldestFirst = stored
      .map((client) => [client._id.toHexString(), client] as const)
      .toSorted(([id], [other]) => (id < other ? -1 : 1));
    this.clients = new Map(oldestFirst);
  }

  findById(_id: Types.ObjectId): ClientDocument | undefined {
    return this.clients.get(_id.toHexString());
  }

  /** The oldest client that has the phone. */
  findByPhone(phone: string, country: CountryCode): ClientDocument | undefined {
    const key = phoneKey(phone, country);
    return this.find(({ phoneNumbers }) =>
      phoneNumbers?.some((other) => this.phones.has(other) && phoneKey(other, country) === key),
    );
  }

  /** The oldest client that has the email. */
  findByEmail(email: string): ClientDocument | undefined {
    const folded = foldCase(email);
    return this.find((client) => foldCase(client.email ?? '') === folded);
  }

  put(change: ClientChange): void {
    const id = change.client._id.toHexString();
    this.clients.set(id, change.client);
    this.changed.set(id, {
      ...change,
      isNew: change.isNew || this.changed.get(id)?.isNew === true,
    });
  }

  /** The last state of each client that has changed. */
  changes(): ClientChange[] {
    return [...this.changed.values()];
  }

  private find(
    matches: (client: ClientDocument) => boolean | undefined,
  ): ClientDocument | undefined {
    for (const client of this.clients.values()) if (matches(client)) return client;
    return undefined;
  }
}
