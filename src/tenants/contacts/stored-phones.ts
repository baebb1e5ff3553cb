import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CountryCode } from 'libphonenumber-js';
import { LRUCache } from 'lru-cache';
import type { BulkWriteResult } from 'mongodb';
import { Types } from 'mongoose';
import { refusedWrites } from '../../core/database/connection/database-errors.js';
import { defaultCountry } from '../organizations/organization.js';
import type { OrganizationsRepository } from '../organizations/organizations.repository.js';

interface PhoneDocument {
  readonly _id: Types.ObjectId;
  readonly organizationId: Types.ObjectId;
  readonly updatedAt: Date;
}

export interface PhoneUpdate {
  readonly updateOne: {
    readonly filter: Pick<PhoneDocument, '_id' | 'updatedAt'>;
    readonly update: { readonly $set: Record<string, unknown> };
  };
}

/** Parsing phones is slow, so the event loop gets a turn after this many documents. */
const documentsPerTurn = 25;
/** Bounds the memory for failures; a document whose failure was dropped is only retried. */
const maxFailures = 10_000;

/** Stores what is derived from phones. One unusable document of another program must not stop the rest. */
export class StoredPhones<T extends PhoneDocument> {
  private readonly failures = new LRUCache<string, string>({ max: maxFailures });

  /**
   * @param updateOf derives fields of a document, which are stored unless another program writes it first
   * @param store stores every update that the database accepts
   * @param onFailure is called once for each state of a document that cannot be updated
   */
  constructor(
    private readonly organizations: OrganizationsRepository,
    private readonly updateOf: (document: T, country: CountryCode) => Record<string, unknown>,
    private readonly store: (updates: PhoneUpdate[]) => Promise<BulkWriteResult>,
    private readonly onFailure: (id: string, error: unknown) => void,
  ) {}

  /** Returns the number of documents that were not known to fail. */
  async update(documents: readonly T[]): Promise<number> {
    const untried = documents.filter(
      (document) => this.failures.get(String(document._id)) !== stateOf(document),
    );
    if (untried.length === 0) return 0;
    const ids = new Map(untried.map(({ organizationId: id }) => [String(id), id]));
    const organizations = await this.organizations.findAll([...ids.values()]);
    const countries = new Map(
      organizations.map(({ _id, phoneCountry }) => [String(_id), phoneCountry]),
    );
    const derivable: T[] = [];
    const updates: PhoneUpdate[] = [];
    for (const [index, document] of untried.entries()) {
      if (index % documentsPerTurn === 0) await nextTurn();
      const { _id, organizationId, updatedAt } = document;
      try {
        const country = countries.get(organizationId.toHexString()) ?? defaultCountry;
        assertCastable(document);
        const update = { $set: this.updateOf(document, country) };
        updates.push({ updateOne: { filter: { _id, updatedAt }, update } });
        derivable.push(document);
      } catch (error) {
        this.reportFailure(document, error);
      }
    }
    if (updates.length > 0) {
      for (const { index, errmsg } of await refusedWrites(this.store(updates))) {
        const document = derivable[index];
        if (document !== undefined) this.reportFailure(document, errmsg);
      }
    }
    return untried.length;
  }

  private reportFailure(document: T, error: unknown): void {
    const id = String(document._id);
    this.failures.set(id, stateOf(document));
    this.onFailure(id, error);
  }
}

function stateOf({ updatedAt, organizationId }: PhoneDocument): string {
  return JSON.stringify([updatedAt, organizationId]);
}

/** Mongoose would skip the update of such a document without an error. */
function assertCastable({ _id, updatedAt }: PhoneDocument): void {
  const isKnown = (updatedAt ?? null) === null || updatedAt instanceof Date;
  if (!(_id instanceof Types.ObjectId) || !isKnown)
    throw new Error('_id or updatedAt has another type');
}
