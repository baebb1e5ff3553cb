import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { BSON } from 'mongodb';
import type { Types } from 'mongoose';
import { openSession } from '../../core/database/transactions/open-session.js';
import { mebibyte } from '../../core/values/numbers.js';
import { CatalogueChanges } from './catalogue-changes.js';

const maxBytes = 16 * mebibyte;
/** What an entry takes beside its value. */
const bytesOfEntry = 256;

/** Set for what belongs to a request that wants what is in the database now. */
const readsAnew = new AsyncLocalStorage<true>();

/** Runs work that uses no part that is kept, and keeps none. */
export function withoutKeptParts(work: () => void): void {
  readsAnew.run(true, work);
}

interface Part {
  readonly moment: number;
  readonly value: unknown;
}

/** Where parts of one organization are kept. */
export interface PartStore {
  /** The part that was stored under the key, undefined when there is none that still holds. */
  get(key: string): unknown;
  set(key: string, value: unknown): void;
}

/**
 * What the responses about compounds and units are made of and many of them share: counts, ids of
 * slugs and names, documents that units refer to. A part is kept while nothing has changed in the
 * organization's catalogue (rule DATA-6), all together in 16 MiB.
 */
@Injectable()
export class KeptParts {
  private readonly parts = new LRUCache<string, Part>({
    maxSize: maxBytes,
    // They are counted as the text that they come to.
    sizeCalculation: ({ value }, key) =>
      bytesOfEntry + 2 * (key.length + (JSON.stringify(value)?.length ?? 0)),
  });

  /** What is being made: one of them for each request that runs, at the most. */
  private readonly making = new Map<string, Part>();

  constructor(private readonly changes: CatalogueChanges) {}

  /** How much is kept. */
  stats(): { readonly entries: number; readonly bytes: number; readonly maxBytes: number } {
    return { entries: this.parts.size, bytes: this.parts.calculatedSize, maxBytes };
  }

  /**
   * The parts of an organization, for what is read from now on. Null where nothing can be kept: while
   * changes may go unnoticed, in a transaction or a snapshot, which have a time of their own, and for
   * a request that wants what is in the database.
   */
  of(organizationId: Types.ObjectId): PartStore | null {
    const moment = this.changes.now();
    if (moment === null || openSession().session !== undefined || readsAnew.getStore() === true) {
      return null;
    }
    const organization = organizationId.toHexString();
    return {
      get: (key) => {
        const part = this.parts.get(`${organization} ${key}`);
        if (part === undefined) return undefined;
        const holds = this.changes.isUnchangedSince(organization, part.moment);
        return holds ? part.value : undefined;
      },
      set: (key, value) => {
        this.parts.set(`${organization} ${key}`, { moment, value });
      },
    };
  }

  /** How many documents of a collection match a filter, counted where that is not kept. */
  async count(
    organizationId: Types.ObjectId,
    collection: string,
    filter: object,
    count: () => Promise<number>,
  ): Promise<number> {
    const key = `count ${collection} ${BSON.EJSON.stringify(filter)}`;
    return this.get(organizationId, key, count);
  }

  /**
   * A part, made where none is kept that still holds. Who asks for one that is being made waits for
   * it: of many clients, one counts what has changed.
   */
  async get<T>(organizationId: Types.ObjectId, key: string, make: () => Promise<T>): Promise<T> {
    const [store, moment] = [this.of(organizationId), this.changes.now()];
    if (store === null || moment === null) return make();
    const kept = store.get(key);
    if (kept !== undefined) return kept as T;
    const organization = organizationId.toHexString();
    const shared = `${organization} ${key}`;
    const making = this.making.get(shared);
    if (making !== undefined && this.changes.isUnchangedSince(organization, making.moment)) {
      // Where nothing came of it each makes its own.
      return (making.value as Promise<T>).catch(make);
    }
    const own = { moment, value: make() };
    this.making.set(shared, own);
    try {
      const value = await own.value;
      store.set(key, value);
      return value;
    } finally {
      if (this.making.get(shared) === own) this.making.delete(shared);
    }
  }
}
