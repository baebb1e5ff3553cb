import { Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Clock } from '../../../core/configuration/clock.js';
import {
  DatabaseUnavailableError,
  withinDeadline,
} from '../../../core/database/connection/database-errors.js';
import { Metrics } from '../../../core/observability/metrics.js';
import { apiKeyState } from '../api-key-policy.js';
import { ApiKeysRepository } from '../api-keys.repository.js';
import { originsOf } from './origin.js';

/** A revoked key's origin must lose its preflights within 5 seconds, the load included. */
const lifetimeMs = 3_000;
const loadTimeoutMs = 2_000;
/** Bounds the memory and the time of a load; the origins of further keys get no preflight. */
const maxKeys = 10_000;

const all = 'all';

/**
 * Knows the origins that any usable key names (rule AUTH-10). A preflight has no key, so any
 * number of them share one query per lifetime, whatever origins they name.
 */
@Injectable()
export class PageOrigins {
  private readonly logger = new Logger(PageOrigins.name);
  private readonly loads;
  private readonly origins = new LRUCache<typeof all, ReadonlySet<string>>({
    max: 1,
    ttl: lifetimeMs,
    ttlResolution: 0,
    fetchMethod: () => withinDeadline(this.load(), loadTimeoutMs),
    // Without a database, the page can read the 503 of its request.
    allowStaleOnFetchRejection: true,
  });

  constructor(
    private readonly keys: ApiKeysRepository,
    private readonly clock: Clock,
    metrics: Metrics,
  ) {
    this.loads = metrics.counter('page_origin_loads_total', 'Loads of the origins that keys name.');
    this.loads.inc(0);
    metrics.collect(
      'page_origins',
      'Origins that keys name, as last loaded: their pages may send requests.',
      () => this.origins.peek(all, { allowStale: true })?.size ?? 0,
    );
  }

  /** @throws DatabaseUnavailableError if the origins were never loaded and the database does not respond */
  async includes(origin: string): Promise<boolean> {
    const known = await this.origins.fetch(all);
    if (known === undefined) throw new DatabaseUnavailableError();
    return known.has(origin);
  }

  private async load(): Promise<ReadonlySet<string>> {
    this.loads.inc();
    const now = this.clock.now();
    const keys = await this.keys.findForPages(now, maxKeys);
    if (keys.length === maxKeys) {
      this.logger.warn({ maxKeys }, 'Too many keys have origins; pages of some get no preflight');
    }
    const usable = keys.filter((key) => apiKeyState(key, now) === 'active');
    return new Set(
      usable.flatMap(({ permissions }) => [...(originsOf(permissions?.origins) ?? [])]),
    );
  }
}
