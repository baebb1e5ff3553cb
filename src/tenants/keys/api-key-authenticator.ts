import { timingSafeEqual } from 'node:crypto';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Clock } from '../../core/configuration/clock.js';
import { ENVIRONMENT, type Environment } from '../../core/configuration/environment.js';
import type { Organization } from '../organizations/organization.js';
import { OrganizationsRepository } from '../organizations/organizations.repository.js';
import { reportOddFields } from '../../core/database/documents/stored-types.js';
import { minuteMs } from '../../core/values/durations.js';
import { keyRateLimit } from './api-key-rate-limit.js';
import { apiKeyState } from './api-key-state.js';
import type { ApiKeyDocument } from './api-key.schema.js';
import { ApiKeysRepository } from './api-keys.repository.js';
import type { Identity } from './caller.js';

/** A key as it was stored when it was looked up, and whom it stands for. */
export interface AuthenticatedKey {
  readonly key: ApiKeyDocument;
  readonly identity: Identity;
}

/** Where a key is used: the host name of its request, without port. */
interface Place {
  readonly hostname: string;
}

/** Below the 5 seconds within which a revoked key has to stop working. */
const cacheTtlMs = 3_000;
const lastUsedPrecisionMs = minuteMs;
/** How long a key counts as unknown, and how many are remembered: there is no end of them. */
const unknownTtlMs = 1_000;
const maxUnknown = 10_000;

/** A key that is being looked up, for all that come with it meanwhile. */
interface Lookup {
  /** In milliseconds of `performance.now()`. */
  readonly startedAt: number;
  readonly found: Promise<AuthenticatedKey | undefined>;
}

/** Accepts keys and finds their organizations (rule AUTH-2). */
@Injectable()
export class ApiKeyAuthenticator {
  private readonly logger = new Logger(ApiKeyAuthenticator.name);
  private readonly cache = new LRUCache<string, AuthenticatedKey>({
    max: 10_000,
    ttl: cacheTtlMs,
    // Else it sets a timer for each millisecond in which a key is used, which costs more than to read the clock.
    ttlResolution: 0,
  });
  /** Apart from the cache too: what is being looked up may be anything. */
  private readonly lookups = new Map<string, Lookup>();
  /** Apart from the others, so that unknown keys displace none of them. */
  private readonly unknown = new LRUCache<string, true>({ max: maxUnknown, ttl: unknownTtlMs });

  constructor(
    private readonly keys: ApiKeysRepository,
    private readonly organizations: OrganizationsRepository,
    private readonly clock: Clock,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /**
   * The key and its organization, null when the key is unknown, revoked, expired, without
   * `allowExternal`, of a deleted organization, or used on another organization's API domain while
   * ENFORCE_API_DOMAIN is set.
   *
   * @param hash of the key, as {@link hashApiKey} makes it
   * @param beginLookup called before a key that this process has not seen yet is looked up, unless it throws;
   * it gives what to call afterwards
   */
  async authenticate(
    hash: string,
    place: Place,
    beginLookup: () => () => void,
  ): Promise<AuthenticatedKey | null> {
    const seen = this.seen(hash);
    if (seen !== undefined) return this.judged(seen, place);
    if (this.lookups.has(hash) || this.cache.peek(hash, { allowStale: true })) {
      return this.judged(await this.lookUp(hash), place);
    }
    if (this.unknown.has(hash)) return null;
    const end = beginLookup();
    try {
      return this.judged(await this.lookUp(hash), place);
    } finally {
      end();
    }
  }

  /**
   * As {@link authenticate}, at once: waiting, with a limit of time, costs most requests more than the
   * key itself. Undefined where the key has to be looked up.
   */
  remembered(hash: string, place: Place): AuthenticatedKey | null | undefined {
    const found = this.seen(hash);
    return found === undefined ? undefined : this.judged(found, place);
  }

  /** How many keys are remembered, and how many that are none. */
  stats(): { readonly known: number; readonly unknown: number } {
    return { known: this.cache.size, unknown: this.unknown.size };
  }

  private seen(hash: string): AuthenticatedKey | undefined {
    // An old one stays: for those that may only use keys that were seen it is not new.
    return this.cache.get(hash, { noDeleteOnStaleGet: true });
  }

  private judged(found: AuthenticatedKey | undefined, place: Place): AuthenticatedKey | null {
    if (found === undefined || !this.isUsable(found.key)) return null;
    if (!this.environment.ENFORCE_API_DOMAIN) return found;
    const { apiDomain } = found.identity.organization;
    return apiDomain?.toLowerCase() === place.hostname.toLowerCase() ? found : null;
  }

  private isUsable(key: ApiKeyDocument): boolean {
    if (key.permissions?.allowExternal !== true) return false;
    return apiKeyState(key, this.clock.now()) === 'active';
  }

  private lookUp(hash: string): Promise<AuthenticatedKey | undefined> {
    const now = performance.now();
    const running = this.lookups.get(hash);
    // What was read long ago is old, however late it comes.
    if (running !== undefined && now - running.startedAt < cacheTtlMs) return running.found;
    const lookup = { startedAt: now, found: this.load(hash, now) };
    this.lookups.set(hash, lookup);
    const forget = () => {
      if (this.lookups.get(hash) === lookup) this.lookups.delete(hash);
    };
    lookup.found.then(forget, forget);
    return lookup.found;
  }

  private async load(hash: string, start: number): Promise<AuthenticatedKey | undefined> {
    const found = await this.find(hash);
    if (found === undefined) {
      this.unknown.set(hash, true);
      this.cache.delete(hash);
      return undefined;
    }
    this.cache.set(hash, found, { start });
    if (this.isUsable(found.key)) this.recordUse(found.key);
    return found;
  }

  private async find(hash: string): Promise<AuthenticatedKey | undefined> {
    const key = await this.keys.findByHash(hash);
    if (key === null || !isSameHash(key.hash, hash)) return undefined;
    const organization = await this.organizations.find(key.organizationId);
    return organization === null ? undefined : { key, identity: identityOf(key, organization) };
  }

  private recordUse(key: ApiKeyDocument): void {
    const { lastUsedAt } = key;
    const now = this.clock.now();
    if (lastUsedAt && now.getTime() - lastUsedAt.getTime() < lastUsedPrecisionMs) return;
    this.keys.markUsed(key, now).catch((error: unknown) => {
      this.logger.warn({ err: error }, 'The last use of an API key could not be stored');
    });
  }
}

function identityOf(key: ApiKeyDocument, organization: Organization): Identity {
  const rateLimit = keyRateLimit(key);
  if (key.rateLimit && rateLimit === null) reportOddFields('apiKeys', key._id, ['rateLimit']);
  return {
    organizationId: organization._id,
    organization,
    apiKeyId: key._id,
    permissions: JSON.stringify(key.permissions),
    mayReadEvents: key.permissions?.readEvents === true,
    ...(rateLimit === null ? {} : { rateLimit }),
  };
}

function isSameHash(stored: string, presented: string): boolean {
  const [a, b] = [Buffer.from(stored), Buffer.from(presented)];
  return a.length === b.length && timingSafeEqual(a, b);
}
