import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { BSON } from 'mongodb';
import type { Types } from 'mongoose';
import { openSession } from '../../core/database/transactions/open-session.js';
import { Metrics } from '../../core/observability/metrics.js';
import { mebibyte } from '../../core/values/numbers.js';
import { CatalogueFreshness } from './catalogue-freshness.js';

const maxBytes = 16 * mebibyte;
/** What an entry takes beside its value. */
const bytesOfEntry = 256;

/** Something that is read. */
export interface Reading {
  /** When the oldest of all that it is made of began to be read. */
  readAt: number;
}

/** What is being read; null for a request that wants what is in the database now. */
const readings = new AsyncLocalStorage<Reading | null>();

/** Runs work that reads; the parts that it uses make the reading as old as they are. */
export function whileReading<T>(reading: Reading, work: () => T): T {
  return readings.run(reading, work);
}

/** Runs work that uses no part that is kept, and keeps none. */
export function withoutKeptParts(work: () => void): void {
  readings.run(null, work);
}

interface Part {
  readonly reading: Reading;
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
 * slugs and names, documents that units refer to. A part is kept for a second, or until this
 * process writes to the organization's catalogue (rule DATA-6), all together in 16 MiB.
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

  constructor(
    private readonly freshness: CatalogueFreshness,
    metrics: Metrics,
  ) {
    metrics.collect(
      'kept_parts_bytes',
      'Counts and documents that responses share, of at most 16 MiB.',
      () => this.parts.calculatedSize,
    );
  }

  /**
   * The parts of an organization, for what is read from now on. Null where nothing is kept: without
   * room for responses, in a transaction or a snapshot, which have a time of their own, and for a request that
   * wants what is in the database.
   */
  of(organizationId: Types.ObjectId): PartStore | null {
    const isOff = this.freshness.maxAgeMs === 0 || readings.getStore() === null;
    if (isOff || openSession().session !== undefined) return null;
    const reading = { readAt: performance.now() };
    const organization = organizationId.toHexString();
    return {
      get: (key) => {
        const part = this.parts.get(`${organization} ${key}`);
        if (part === undefined || !this.isFresh(organization, part)) return undefined;
        noteUse(part);
        return part.value;
      },
      set: (key, value) => {
        this.parts.set(`${organization} ${key}`, { reading, value });
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
    const store = this.of(organizationId);
    if (store === null) return make();
    const kept = store.get(key);
    if (kept !== undefined) return kept as T;
    const organization = organizationId.toHexString();
    const shared = `${organization} ${key}`;
    const making = this.making.get(shared);
    if (making !== undefined && this.isFresh(organization, making)) {
      try {
        const value = (await making.value) as T;
        noteUse(making);
        return value;
      } catch {
        // Where nothing came of it each makes its own.
        return make();
      }
    }
    const reading = { readAt: performance.now() };
    const own = { reading, value: whileReading(reading, make) };
    this.making.set(shared, own);
    try {
      const value = await own.value;
      noteUse(own);
      this.parts.set(shared, { reading, value });
      return value;
    } finally {
      if (this.making.get(shared) === own) this.making.delete(shared);
    }
  }

  private isFresh(organization: string, { reading }: Part): boolean {
    return this.freshness.isFresh(organization, reading.readAt);
  }
}

function noteUse({ reading: { readAt } }: Part): void {
  const user = readings.getStore();
  if (user) user.readAt = Math.min(user.readAt, readAt);
}
