import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Types } from 'mongoose';
import { Clock } from '../../core/configuration/clock.js';
import { readEnvironment } from '../../core/configuration/load-environment.js';
import { authenticationErrors } from './key-errors.js';
import { DomainError } from '../../core/errors/domain-error.js';
import type { OrganizationsRepository } from '../organizations/organizations.repository.js';
import { ApiKeyAuthenticator } from './api-key-authenticator.js';
import { hashApiKey } from './api-key-policy.js';
import type { ApiKeysRepository } from './api-keys.repository.js';
import { AuthFailureLimiter, addressRangeOf } from './auth-failure-limiter.js';

const environment = readEnvironment({});
const attempts = 10_500;
const anyHost = { hostname: '' };
const unlimited = () => () => {};
const rejectLookup = () => {
  throw new Error('barred');
};

let elapsed: number;
beforeEach(() => {
  elapsed = 0;
  const start = performance.now();
  jest.spyOn(performance, 'now').mockImplementation(() => start + elapsed);
});
afterEach(() => void jest.restoreAllMocks());

/** The last use is recent, so that a lookup updates nothing. */
const known = {
  _id: new Types.ObjectId(),
  organizationId: new Types.ObjectId(),
  hash: hashApiKey('known'),
  permissions: { allowExternal: true },
  lastUsedAt: new Date(),
};
const findKnown = (hash: string) => (hash === known.hash ? known : null);

/** Creates an authenticator whose database has only the key `known` by default. */
function authenticatorOf(
  find: (hash: string) => unknown = findKnown,
  findOrganization = () => ({}),
) {
  let queries = 0;
  const keys = {
    findByHash: async (hash: string) => {
      queries++;
      return find(hash);
    },
  };
  const organizations = { find: async () => findOrganization() };
  const authenticator = new ApiKeyAuthenticator(
    keys as unknown as ApiKeysRepository,
    organizations as unknown as OrganizationsRepository,
    new Clock(),
    environment,
  );
  return {
    queries: () => queries,
    stats: () => authenticator.stats(),
    isCached: () => authenticator.cached(hashApiKey('known'), anyHost) !== undefined,
    /** By default the lookup limit allows every lookup. */
    accepts: async (key: string, beginLookup: () => () => void = unlimited) =>
      (await authenticator.authenticate(hashApiKey(key), anyHost, beginLookup)) !== null,
  };
}

describe('the API key authenticator', () => {
  it('caches at most 10,000 unknown keys and evicts no known key', async () => {
    const { accepts, queries, stats, isCached } = authenticatorOf();
    expect(await accepts('known')).toBe(true);
    for (let index = 0; index < attempts; index++) {
      expect(await accepts(`unknown ${index}`)).toBe(false);
    }
    expect(stats()).toEqual({ known: 1, unknown: 10_000 });
    expect(queries()).toBe(1 + attempts);
    expect(await accepts('known', rejectLookup)).toBe(true);
    // An expired entry causes a lookup, but a known key needs no permission from the limiter.
    elapsed = 60_000;
    expect(isCached()).toBe(false);
    expect(await accepts('known', rejectLookup)).toBe(true);
  });

  it('allows a client only as many lookups of unknown keys as failures', async () => {
    const { promise: found, resolve } = Promise.withResolvers<null>();
    const { accepts, queries, isCached } = authenticatorOf((hash) => findKnown(hash) ?? found);
    const failures = new AuthFailureLimiter(new Clock(), environment);
    const limitedLookup = () => failures.beginLookup('stranger');
    expect(await accepts('known', limitedLookup)).toBe(true);
    const all = Array.from({ length: attempts }, (_, index) =>
      accepts(`unknown ${index}`, limitedLookup).catch(
        (error: unknown) => (error as DomainError).status,
      ),
    );
    expect(queries()).toBe(1 + environment.AUTH_FAILURE_BURST);
    expect(isCached()).toBe(true);
    resolve(null);
    expect(new Set(await Promise.all(all))).toEqual(new Set([false, 429]));
    // Concurrent requests with one key share a single lookup.
    const begin = jest.fn(unlimited);
    await Promise.all(Array.from({ length: 50 }, () => accepts('the same', begin)));
    expect(begin).toHaveBeenCalledTimes(1);
    // The earlier lookups have ended, so one more is allowed.
    await accepts('one more', limitedLookup);
    expect(queries()).toBe(3 + environment.AUTH_FAILURE_BURST);
  });

  it('evicts no key in use while the database fails', async () => {
    const organization = jest.fn<() => object>().mockReturnValue({});
    const { accepts, isCached } = authenticatorOf(findKnown, organization);
    expect(await accepts('known')).toBe(true);
    elapsed = 60_000;
    organization.mockRejectedValueOnce(new Error('stepped down') as never);
    await expect(accepts('known', rejectLookup)).rejects.toThrow('stepped down');
    // The age of a result counts from the start of the read.
    organization.mockImplementation(() => {
      elapsed += 6_000;
      return {};
    });
    expect(await accepts('known', rejectLookup)).toBe(true);
    expect(isCached()).toBe(false);
  });

  it('reads again when a request joins an outdated read', async () => {
    const { promise: outdated, resolve } = Promise.withResolvers<object>();
    const reads = [outdated, { ...known, permissions: { allowExternal: false } }];
    const { accepts } = authenticatorOf(() => reads.shift());
    const first = accepts('known');
    elapsed = 6_000;
    const second = accepts('known');
    resolve(known);
    expect([await first, await second]).toEqual([true, false]);
  });

  it('refuses a deleted key', async () => {
    const reads = [known];
    const { accepts, queries } = authenticatorOf(() => reads.shift() ?? null);
    expect(await accepts('known')).toBe(true);
    elapsed = 60_000;
    for (let count = 0; count < 20; count++) expect(await accepts('known')).toBe(false);
    expect(queries()).toBe(2);
  });

  it('counts failures of at most 10,000 addresses', () => {
    const failures = new AuthFailureLimiter(new Clock(), environment);
    const error = new DomainError(authenticationErrors.keyInvalid);
    for (let index = 0; index < attempts; index++) failures.count(`address ${index}`, error);
    expect(failures.stats()).toEqual({ clients: 10_000 });
  });
});

it.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:DB8:1:2::', '2001:db8:1:2::/64'],
  ['2001:db8:1:3::', '2001:db8:1:3::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['', ''],
  ['unknown', 'unknown'],
  ['x'.repeat(65), 'x'.repeat(64)],
])('addressRangeOf(%j) returns %j', (address, client) => {
  expect(addressRangeOf(address)).toBe(client);
});
