import type { CountryCode } from 'libphonenumber-js';
import type { Types } from 'mongoose';
import { lockKeysOf } from '../contacts/contact.js';
import type { PendingEvent } from '../../events/outbox/pending-event.js';
import type { ClientDocument } from './client.schema.js';

export interface ClientChange {
  readonly client: ClientDocument;
  readonly isNew: boolean;
  readonly event: PendingEvent;
}

/** The clients that a group of leads may touch, with the changes by the leads decided so far. */
export class ClientRecords {
  private readonly clients = new Map<string, ClientDocument>();
  private readonly changed = new Map<string, ClientChange>();
  private readonly owners = new Map<string, Set<string>>();

  /** @param lookupPhones all spellings of the phones that requests send */
  constructor(
    stored: readonly ClientDocument[],
    private readonly lookupPhones: ReadonlySet<string>,
    private readonly country: CountryCode,
  ) {
    for (const client of stored) this.set(client);
  }

  findById(_id: Types.ObjectId): ClientDocument | undefined {
    return this.clients.get(_id.toHexString());
  }

  findByPhone(phone: string): ClientDocument | undefined {
    return this.oldest({ phones: [phone] });
  }

  findByEmail(email: string): ClientDocument | undefined {
    return this.oldest({ email, phones: [] });
  }

  put(change: ClientChange): void {
    const id = change.client._id.toHexString();
    this.set(change.client);
    this.changed.set(id, {
      ...change,
      isNew: change.isNew || this.changed.get(id)?.isNew === true,
    });
  }

  changes(): ClientChange[] {
    return [...this.changed.values()];
  }

  private oldest(contact: { email?: string; phones: readonly string[] }) {
    const [key = ''] = lockKeysOf(contact, this.country);
    const [oldest] = [...(this.owners.get(key) ?? [])].toSorted();
    return oldest === undefined ? undefined : this.clients.get(oldest);
  }

  private set(client: ClientDocument): void {
    const id = client._id.toHexString();
    const before = this.clients.get(id);
    if (before !== undefined)
      for (const key of this.keysOf(before)) this.owners.get(key)?.delete(id);
    this.clients.set(id, client);
    for (const key of this.keysOf(client)) {
      const ids = this.owners.get(key);
      if (ids === undefined) this.owners.set(key, new Set([id]));
      else ids.add(id);
    }
  }

  /** Does not parse other phones: other programs may store any number of them. */
  private keysOf({ email, phoneNumbers }: ClientDocument): string[] {
    const phones = (phoneNumbers ?? []).filter((phone) => this.lookupPhones.has(phone));
    return lockKeysOf({ phones, ...(email ? { email } : {}) }, this.country);
  }
}
