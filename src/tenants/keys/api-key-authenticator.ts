import { timingSafeEqual } from 'node:crypto';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Clock } from '../../core/configuration/clock.js';
import { ENVIRONMENT, type Environment } from '../../core/configuration/environment.js';
import type { Organization } from '../organizations/organization.js';
import { OrganizationsRepository } from '../organizations/organizations.repository.js';
import { normalizedHost, asText } from '../../core/values/text.js';
import { minuteMs } from '../../core/values/time.js';
import { apiKeyState, keyRateLimit, restrictionsOf } from './api-key-policy.js';
import type { ApiKeyDocument } from './api-key.schema.js';
import { ApiKeysRepository } from './api-keys.repository.js';
import type { Identity } from './caller.js';

export interface AuthenticatedKey {
  readonly key: ApiKeyDocument;
  readonly identity: Identity;
}

interface Lookup {
  /** Start of the read, in `performance.now()` milliseconds. */
  readonly readAt: number;
  readonly found: AuthenticatedKey | undefined;
}

interface Host {
  readonly hostname: string;
}

/** Runs before the lookup of a key that is new to this process, and may throw. Returns a function that ends it. */
type BeginLookup = () => () => void;

/** Revoked keys must stop working within 5 seconds. */
const cacheTtlMs = 3_000;
const lastUsedPrecisionMs = minuteMs;
const unknownTtlMs = 1_000;
const maxLookups = 10_000;

/** Caches keys, so that most requests need no query (rule AUTH-2). */
@Injectable()
export class ApiKeyAuthenticator {
  private readonly logger = new Logger(ApiKeyAuthenticator.name);
  private readonly known = new LRUCache<string, AuthenticatedKey>({
    max: 10_000,
    ttl: cacheTtlMs,
    // The default of 1 would set a timer in each millisecond with a read.
    ttlResolution: 0,
    // A client that exceeds its failure limit may still use an expired entry.
    noDeleteOnStaleGet: true,
  });
  /** Running lookups and unknown keys have their own cache, so that they evict no known key. */
  private readonly lookups = new LRUCache<string, Lookup, BeginLookup>({
    max: maxLookups,
    ttl: unknownTtlMs,
    fetchMethod: (hash, _last, { context: beginLookup }) => this.lookUp(hash, beginLookup),
    ignoreFetchAbort: true,
  });

  constructor(
    private readonly keys: ApiKeysRepository,
    private readonly organizations: OrganizationsRepository,
    private readonly clock: Clock,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /** Returns null for an unusable key, including one on another organization's API domain. */
  async authenticate(
    hash: string,
    host: Host,
    beginLookup: BeginLookup,
  ): Promise<AuthenticatedKey | null> {
    const askedAt = performance.now();
    let lookup = await this.lookups.forceFetch(hash, { context: beginLookup });
    while (lookup.readAt + cacheTtlMs < askedAt) {
      lookup = await this.lookups.forceFetch(hash, { context: beginLookup, forceRefresh: true });
    }
    return this.usableKey(lookup.found, host);
  }

  /** Returns undefined if a lookup is needed. */
  cached(hash: string, host: Host): AuthenticatedKey | null | undefined {
    const found = this.known.get(hash);
    return found === undefined ? undefined : this.usableKey(found, host);
  }

  stats(): { readonly known: number; readonly unknown: number } {
    return { known: this.known.size, unknown: this.lookups.size };
  }

  private usableKey(found: AuthenticatedKey | undefined, host: Host): AuthenticatedKey | null {
    if (found === undefined || !this.isUsable(found.key)) return null;
    if (!this.environment.ENFORCE_API_DOMAIN) return found;
    const { apiDomain } = found.identity.organization;
    return apiDomain && normalizedHost(apiDomain) === normalizedHost(host.hostname) ? found : null;
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
    if (lastUsedAt instanceof Date && now.getTime() - lastUsedAt.getTime() < lastUsedPrecisionMs)
      return;
    this.keys.update(key, { $max: { lastUsedAt: now } }).catch((error: unknown) => {
      this.logger.warn(
        { err: error },
        'Could not store the last use of an API key; retrying at its next use',
      );
    });
  }
}

function identityOf(key: ApiKeyDocument, organization: Organization): Identity {
  const rateLimit = keyRateLimit(key);
  return {
    organizationId: organization._id,
    organization,
    apiKeyId: key._id,
    keyName: asText(key.name),
    permissionsJson: JSON.stringify(key.permissions),
    restrictions: restrictionsOf(key),
    ...(key.secrets && key.secrets.length > 0 && { secrets: key.secrets }),
    ...(rateLimit === null ? {} : { rateLimit }),
  };
}

function isSameHash(stored: string, presented: string): boolean {
  const [a, b] = [Buffer.from(stored), Buffer.from(presented)];
  return a.length === b.length && timingSafeEqual(a, b);
}
