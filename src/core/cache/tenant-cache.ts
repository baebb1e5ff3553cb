import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Types } from 'mongoose';
import { ENVIRONMENT, type Environment } from '../configuration/environment.js';
import { afterTransaction } from '../database/transactions/sessions.js';
import { Metrics } from '../observability/metrics.js';

/** The age of an entry counts from the start of its load (rule DATA-6). */
export const cacheLifetimeMs = 1_000;

const maxEntryShare = 1 / 8;
const overheadBytes = 2_048;
/** Beyond this number, the least recently used organizations lose their entries. */
const maxOrganizations = 10_000;

export interface CachedResponse {
  readonly headers: Readonly<Record<string, string>>;
  readonly tag: string;
  readonly bytes: number;
  /** Returns the body as it is sent, compressed by the first call if its requests accept it. */
  readonly body: () => Promise<Buffer> | Buffer;
}

interface Entry {
  readonly response: CachedResponse | undefined;
  /** Time of `performance.now()`. */
  readonly loadedAt: number;
}

/** Returns undefined for a response that cannot be shared. */
type Load = () => Promise<CachedResponse | undefined>;

/** Each key contains the organization's generation: a write raises it, which invalidates all entries (rule DATA-6). */
@Injectable()
export class TenantCache {
  now = (): number => performance.now();
  private readonly entries: LRUCache<string, Entry, Load> | null;
  private readonly generations = new LRUCache<string, number>({ max: maxOrganizations });
  private newestGeneration = 0;
  private readonly hits;
  private readonly misses;

  constructor(@Inject(ENVIRONMENT) environment: Environment, metrics: Metrics) {
    this.hits = metrics.counter(
      'cache_hits_total',
      'Responses from the cache or from a load in progress.',
    );
    this.misses = metrics.counter('cache_misses_total', 'Responses that had to be loaded.');
    const evictions = metrics.counter(
      'cache_evictions_total',
      'Entries evicted to stay within RESPONSE_CACHE_BYTES.',
    );
    // Prometheus computes a rate only if the series had a value before its first hit.
    for (const counter of [this.hits, this.misses]) counter.inc(0);
    const maxSize = environment.RESPONSE_CACHE_BYTES;
    this.entries = maxSize === 0 ? null : this.newEntries(maxSize, () => evictions.inc());
    metrics.collect('cache_entries', 'Entries in the cache.', () => this.entries?.size ?? 0);
    metrics.collect(
      'cache_bytes',
      'Memory used by cache entries; the limit is RESPONSE_CACHE_BYTES.',
      () => this.entries?.calculatedSize ?? 0,
    );
  }

  /**
   * Simultaneous callers share one load. When it fails, its own caller gets the error, and the others share one more.
   *
   * @returns undefined if the response cannot be shared
   */
  async fetch(
    organizationId: Types.ObjectId,
    key: string,
    load: Load,
  ): Promise<CachedResponse | undefined> {
    if (this.entries === null) return load();
    const askedAt = this.now();
    let hasFailed = false;
    let forceRefresh = false;
    for (;;) {
      let isOwnLoad = false;
      const context = () => {
        isOwnLoad = true;
        return load();
      };
      try {
        const fullKey = this.fullKey(organizationId, key);
        const entry: Entry | undefined = await this.entries.fetch(fullKey, {
          context,
          forceRefresh,
        });
        // The callers that joined too old a load share the next one.
        forceRefresh = entry !== undefined && askedAt - entry.loadedAt > cacheLifetimeMs;
        if (forceRefresh) continue;
        (isOwnLoad || !entry?.response ? this.misses : this.hits).inc();
        return entry?.response;
      } catch (error) {
        if (isOwnLoad || hasFailed) throw error;
        hasFailed = true;
      }
    }
  }

  /** Runs a write of documents that cached responses show. Invalidates even if it fails: its outcome may be unknown. */
  async invalidatedBy<T>(organizationId: Types.ObjectId, write: () => Promise<T>): Promise<T> {
    try {
      return await write();
    } finally {
      afterTransaction(() => this.invalidate(organizationId));
    }
  }

  invalidate(organizationId: Types.ObjectId): void {
    this.nextGeneration(organizationId.toHexString());
  }

  private newEntries(maxSize: number, onEviction: () => void): LRUCache<string, Entry, Load> {
    return new LRUCache<string, Entry, Load>({
      maxSize,
      maxEntrySize: Math.max(1, Math.floor(maxSize * maxEntryShare)),
      sizeCalculation: ({ response }, key) => overheadBytes + key.length + (response?.bytes ?? 0),
      ttl: cacheLifetimeMs,
      ttlResolution: 0,
      ttlAutopurge: true,
      perf: { now: () => this.now() },
      // An eviction during a load must not fail the callers that wait for it.
      ignoreFetchAbort: true,
      dispose: (_entry, _key, reason) => {
        if (reason === 'evict') onEviction();
      },
      fetchMethod: async (_key, _stale, { context, options }) => {
        const loadedAt = this.now();
        const response = await context();
        const age = this.now() - loadedAt;
        options.ttl = response === undefined ? 1 : Math.max(1, cacheLifetimeMs - age);
        // The library rejects a load of undefined that took longer than the lifetime.
        return { response, loadedAt };
      },
    });
  }

  private fullKey(organizationId: Types.ObjectId, key: string): string {
    const organization = organizationId.toHexString();
    const generation = this.generations.get(organization) ?? this.nextGeneration(organization);
    return `${organization} ${generation} ${key}`;
  }

  private nextGeneration(organization: string): number {
    this.newestGeneration += 1;
    this.generations.set(organization, this.newestGeneration);
    return this.newestGeneration;
  }
}
