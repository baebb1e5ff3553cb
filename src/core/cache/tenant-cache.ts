import { AsyncLocalStorage } from 'node:async_hooks';
import { hash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Types } from 'mongoose';
import { ENVIRONMENT, type Environment } from '../configuration/environment.js';
import { openSession } from '../database/transactions/sessions.js';
import { Metrics } from '../observability/metrics.js';

/** The age of an entry counts from the start of its oldest read (rule DATA-6). */
export const cacheLifetimeMs = 1_000;

const maxEntryShare = 1 / 8;
const overheadBytes = 2_048;
/** An estimate of the memory per character of JSON, measured with documents of many small fields. */
const bytesOfCharacter = 4;
const maxKeyLength = 1_024;
/** Beyond this number, the least recently used organizations lose their entries. */
const maxOrganizations = 10_000;

const kinds = ['response', 'part', 'reference'] as const;
type Kind = (typeof kinds)[number];

interface CacheRead {
  /** Time of `performance.now()` at which the entry's oldest read started. */
  readAt: number;
}

interface Entry extends CacheRead {
  readonly value: unknown;
}

/** A load that uses cached parts is as old as the oldest of them. */
const currentRead = new AsyncLocalStorage<CacheRead>();

/** Each key contains the organization's generation: a write raises it, which invalidates all entries (rule DATA-6). */
@Injectable()
export class TenantCache {
  now = (): number => performance.now();
  private readonly entries: LRUCache<string, Entry> | null;
  private readonly generations = new LRUCache<string, number>({ max: maxOrganizations });
  private newestGeneration = 0;
  private readonly hits;
  private readonly misses;

  constructor(
    @Inject(ENVIRONMENT) { RESPONSE_CACHE_BYTES: maxBytes }: Environment,
    metrics: Metrics,
  ) {
    this.hits = metrics.counter(
      'cache_hits_total',
      'Reads served from the cache or from a load in progress.',
      ['kind'],
    );
    this.misses = metrics.counter('cache_misses_total', 'Reads that had to load the value.', [
      'kind',
    ]);
    // Prometheus computes a rate only if the series had a value before its first hit.
    for (const kind of kinds) {
      this.hits.inc({ kind }, 0);
      this.misses.inc({ kind }, 0);
    }
    const evictions = metrics.counter(
      'cache_evictions_total',
      'Entries evicted to stay within RESPONSE_CACHE_BYTES.',
    );
    this.entries =
      maxBytes === 0
        ? null
        : new LRUCache({
            maxSize: maxBytes,
            maxEntrySize: Math.max(1, Math.floor(maxBytes * maxEntryShare)),
            ttl: cacheLifetimeMs,
            ttlResolution: 0,
            ttlAutopurge: true,
            perf: { now: () => this.now() },
            dispose: (_entry, _key, reason) => {
              if (reason === 'evict') evictions.inc();
            },
          });
    metrics.collect('cache_entries', 'Entries in the cache.', () => this.entries?.size ?? 0);
    metrics.collect(
      'cache_bytes',
      'Memory used by cache entries; the limit is RESPONSE_CACHE_BYTES.',
      () => this.entries?.calculatedSize ?? 0,
    );
  }

  /** Simultaneous requests share one load unless it fails. Transactions and snapshots bypass the cache. */
  async get<T>(
    organizationId: Types.ObjectId,
    key: string,
    make: () => Promise<T>,
    { kind = 'part', bytesOf = bytesOfJson }: { kind?: Kind; bytesOf?: (value: T) => number } = {},
  ): Promise<T> {
    if (!this.isUsable()) return make();
    const startedAt = this.now();
    const fullKey = this.prefixOf(organizationId) + shortened(key);
    const found = this.entries?.get(fullKey);
    if (found !== undefined) {
      let value: T;
      try {
        value = (await found.value) as T;
      } catch {
        this.misses.inc({ kind });
        return make();
      }
      // An enclosing load may have used a part that is too old for this read.
      const isTooOld = startedAt - found.readAt > cacheLifetimeMs;
      if (isTooOld) return this.get(organizationId, key, make, { kind, bytesOf });
      this.hits.inc({ kind });
      recordDependency(found);
      return value;
    }
    this.misses.inc({ kind });
    const read = { readAt: this.now() };
    const value = currentRead.run(read, make);
    const load = Object.assign(read, { value });
    this.store(fullKey, load, 0);
    const isShared = () => this.entries?.peek(fullKey) === load;
    try {
      const bytes = bytesOf(await value);
      if (isShared()) this.store(fullKey, { ...load }, bytes);
      recordDependency(load);
      return await value;
    } catch (error) {
      if (isShared()) this.entries?.delete(fullKey);
      throw error;
    }
  }

  /** @param load reads the documents that are not cached, in one query */
  async getAll<T>(
    organizationId: Types.ObjectId,
    collection: string,
    ids: readonly string[],
    load: (ids: readonly string[]) => Promise<ReadonlyMap<string, T>>,
  ): Promise<ReadonlyMap<string, T>> {
    if (!this.isUsable()) return load(ids);
    const prefix = `${this.prefixOf(organizationId)}${collection} `;
    const readAt = this.now();
    const documents = new Map<string, T>();
    const missing = ids.filter((id) => {
      const found = this.entries?.get(prefix + id);
      if (found === undefined) return true;
      recordDependency(found);
      if (found.value !== undefined) documents.set(id, found.value as T);
      return false;
    });
    this.hits.inc({ kind: 'reference' }, ids.length - missing.length);
    this.misses.inc({ kind: 'reference' }, missing.length);
    if (missing.length === 0) return documents;
    const loaded = await load(missing);
    for (const id of missing) {
      const value = loaded.get(id);
      this.store(prefix + id, { readAt, value }, bytesOfJson(value));
      if (value !== undefined) documents.set(id, value);
    }
    return documents;
  }

  /** Call after every write, including one with an unknown outcome. */
  invalidate(organizationId: Types.ObjectId): void {
    this.nextGeneration(organizationId.toHexString());
  }

  private isUsable(): boolean {
    return this.entries !== null && openSession().session === undefined;
  }

  private prefixOf(organizationId: Types.ObjectId): string {
    const organization = organizationId.toHexString();
    const generation = this.generations.get(organization) ?? this.nextGeneration(organization);
    return `${organization} ${generation} `;
  }

  private nextGeneration(organization: string): number {
    this.newestGeneration += 1;
    this.generations.set(organization, this.newestGeneration);
    return this.newestGeneration;
  }

  private store(key: string, entry: Entry, bytes: number): void {
    const size = overheadBytes + key.length + bytes;
    this.entries?.set(key, entry, { size, start: entry.readAt });
  }
}

function recordDependency({ readAt }: CacheRead): void {
  const user = currentRead.getStore();
  if (user !== undefined) user.readAt = Math.min(user.readAt, readAt);
}

function shortened(key: string): string {
  return key.length > maxKeyLength ? hash('sha256', key, 'base64url') : key;
}

function bytesOfJson(value: unknown): number {
  return bytesOfCharacter * (JSON.stringify(value)?.length ?? 0);
}
