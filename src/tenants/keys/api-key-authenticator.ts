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
import { restrictionsOf } from './api-key-restrictions.js';
import type { ApiKeyDocument } from './api-key.schema.js';
import { ApiKeysRepository } from './api-keys.repository.js';
import type { Identity } from './caller.js';

/** A key as it was stored when it was looked up, and whom it stands for. */
export interface AuthenticatedKey {
  readonly key: ApiKeyDocument;
  readonly identity: Identity;
}

interface Lookup {
  /** When its read began, in milliseconds of `performance.now()`. */
  readonly readAt: number;
  readonly found: AuthenticatedKey | undefined;
}

/** Where a key is used: the host name of its request, without port. */
interface Place {
  readonly hostname: string;
}

/** Called before a key that this process has not seen yet is looked up, unless it throws; returns what to call afterwards. */
type BeginLookup = () => () => void;

/** Below the 5 seconds within which a revoked key has to stop working. */
const cacheTtlMs = 3_000;
const lastUsedPrecisionMs = minuteMs;
/** How long a key counts as unknown, and how many are remembered: there is no end of them. */
const unknownTtlMs = 1_000;
const maxLookups = 10_000;

/** Accepts keys and finds their organizations (rule AUTH-2). */
@Injectable()
export class ApiKeyAuthenticator {
  private readonly logger = new Logger(ApiKeyAuthenticator.name);
  private readonly known = new LRUCache<string, AuthenticatedKey>({
    max: 10_000,
    ttl: cacheTtlMs,
    // Else it sets a timer for each millisecond in which a key is used, which costs more than to read the clock.
    ttlResolution: 0,
    // A client that may only use keys seen before may use an old one.
    noDeleteOnStaleGet: true,
  });
  /** One read a key, and the keys found to be unknown: apart, so that they displace no known key. */
  private readonly lookups = new LRUCache<string, Lookup, BeginLookup>({
    max: maxLookups,
    ttl: unknownTtlMs,
    fetchMethod: (hash, _last, { context: beginLookup }) => this.lookUp(hash, beginLookup),
    // Requests still wait for a lookup that others have displaced.
    ignoreFetchAbort: true,
  });

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
   */
  async authenticate(
    hash: string,
    place: Place,
    beginLookup: BeginLookup,
  ): Promise<AuthenticatedKey | null> {
    const askedAt = performance.now();
    let lookup = await this.lookups.forceFetch(hash, { context: beginLookup });
    while (lookup.readAt + cacheTtlMs < askedAt) {
      // It joined a slow read late.
      lookup = await this.lookups.forceFetch(hash, { context: beginLookup, forceRefresh: true });
    }
    return this.judged(lookup.found, place);
  }

  /** As {@link authenticate}, at once; undefined where the key has to be looked up. */
  remembered(hash: string, place: Place): AuthenticatedKey | null | undefined {
    const found = this.known.get(hash);
    return found === undefined ? undefined : this.judged(found, place);
  }

  /** How many keys are remembered, and how many lookups, mostly of unknown keys. */
  stats(): { readonly known: number; readonly unknown: number } {
    return { known: this.known.size, unknown: this.lookups.size };
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

  private async lookUp(hash: string, beginLookup: BeginLookup): Promise<Lookup> {
    const isNew = this.known.peek(hash, { allowStale: true }) === undefined;
    const end = isNew ? beginLookup() : undefined;
    const readAt = performance.now();
    try {
      const found = await this.find(hash);
      if (found === undefined) this.known.delete(hash);
      else this.known.set(hash, found, { start: readAt });
      if (found && this.isUsable(found.key)) this.recordUse(found.key);
      return { readAt, found };
    } finally {
      end?.();
    }
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
    restrictions: restrictionsOf(key),
    ...(key.secrets && key.secrets.length > 0 && { secrets: key.secrets }),
    ...(rateLimit === null ? {} : { rateLimit }),
  };
}

function isSameHash(stored: string, presented: string): boolean {
  const [a, b] = [Buffer.from(stored), Buffer.from(presented)];
  return a.length === b.length && timingSafeEqual(a, b);
}
