import { describe, expect, it, jest } from '@jest/globals';
import { Types } from 'mongoose';
import { Clock } from '../../core/configuration/clock.js';
import { readEnvironment } from '../../core/configuration/load-environment.js';
import { authenticationErrors } from '../../core/http/errors/authentication-errors.js';
import { DomainError } from '../../core/http/errors/domain-error.js';
import type { OrganizationsRepository } from '../organizations/organizations.repository.js';
import { ApiKeyAuthenticator } from './api-key-authenticator.js';
import { hashApiKey } from './api-key-policy.js';
import type { ApiKeysService } from './api-keys.service.js';
import { AuthenticationFailures, addressRangeOf } from './authentication-failures.js';

const environment = readEnvironment({});
const attempts = 10_500;
const anywhere = { hostname: '' };
const freely = () => () => {};
const never = () => {
  throw new Error('barred');
};

/** An authenticator whose database answers so. */
function authenticatorOf(findByHash: (hash: string) => unknown, find: () => unknown = () => ({})) {
  const keys = { findByHash: async (hash: string) => findByHash(hash) };
  const organizations = { find: async () => find() };
  return new ApiKeyAuthenticator(
    keys as unknown as ApiKeysService,
    organizations as unknown as OrganizationsRepository,
    new Clock(),
    environment,
  );
}

/** A stored key that may be used, and was just now. */
function storedKey(hash = hashApiKey('known')) {
  const _id = new Types.ObjectId();
  const permissions = { allowExternal: true };
  return { _id, organizationId: _id, hash, permissions, lastUsedAt: new Date() };
}

describe('unknown API keys', () => {
  it('use bounded memory and evict no known key', async () => {
    let queries = 0;
    const known = storedKey();
    const authenticator = authenticatorOf((hash) => {
      queries++;
      return hash === known.hash ? known : null;
    });
    expect(await authenticator.authenticate(hashApiKey('known'), anywhere, freely)).not.toBeNull();
    for (let index = 0; index < attempts; index++) {
      expect(
        await authenticator.authenticate(hashApiKey(`unknown ${index}`), anywhere, freely),
      ).toBeNull();
    }
    expect(authenticator.stats()).toEqual({ known: 1, unknown: 10_000 });
    expect(queries).toBe(1 + attempts);
    expect(await authenticator.authenticate(hashApiKey('known'), anywhere, never)).not.toBeNull();
    // Once it is old it has to be looked up, but is no new key.
    const later = performance.now() + 60_000;
    const now = jest.spyOn(performance, 'now').mockImplementation(() => later);
    expect(authenticator.cached(hashApiKey('known'), anywhere)).toBeUndefined();
    expect(await authenticator.authenticate(hashApiKey('known'), anywhere, never)).not.toBeNull();
    now.mockRestore();
  });

  it('cause no more lookups than failures are allowed', async () => {
    let queries = 0;
    let answer = (_found: unknown): void => undefined;
    const held = new Promise((resolve) => (answer = resolve));
    const known = storedKey();
    const authenticator = authenticatorOf((hash) => {
      queries++;
      return hash === known.hash ? known : held;
    });
    const failures = new AuthenticationFailures(new Clock(), environment);
    const from = (address: string) => () => failures.beginLookup(address);
    expect(
      await authenticator.authenticate(hashApiKey('known'), anywhere, from('stranger')),
    ).not.toBeNull();
    const all = Array.from({ length: attempts }, (_, index) =>
      authenticator
        .authenticate(hashApiKey(`unknown ${index}`), anywhere, from('stranger'))
        .catch((error: unknown) => (error as DomainError).status),
    );
    expect(queries).toBe(1 + environment.AUTH_FAILURE_BURST);
    expect(authenticator.cached(hashApiKey('known'), anywhere)).not.toBeNull();
    answer(null);
    expect(new Set(await Promise.all(all))).toEqual(new Set([null, 429]));
    // Of one key only the first request looks it up.
    let begun = 0;
    const counted = () => {
      begun++;
      return () => {};
    };
    const same = Array.from({ length: 50 }, () =>
      authenticator.authenticate(hashApiKey('the same'), anywhere, counted),
    );
    expect(new Set(await Promise.all(same))).toEqual(new Set([null]));
    expect(begun).toBe(1);
    // They are over.
    await authenticator.authenticate(hashApiKey('one more'), anywhere, from('stranger'));
    expect(queries).toBe(3 + environment.AUTH_FAILURE_BURST);
  });

  it('evict no key in use while the database fails', async () => {
    let organizationOf = () => Promise.resolve({});
    let elapsed = 0;
    const start = performance.now();
    const now = jest.spyOn(performance, 'now').mockImplementation(() => start + elapsed);
    const authenticator = authenticatorOf(
      () => storedKey(),
      () => organizationOf(),
    );
    expect(await authenticator.authenticate(hashApiKey('known'), anywhere, freely)).not.toBeNull();
    elapsed = 60_000;
    organizationOf = () => Promise.reject(new Error('stepped down'));
    await expect(authenticator.authenticate(hashApiKey('known'), anywhere, never)).rejects.toThrow(
      'stepped down',
    );
    // The age of a result counts from the start of the read.
    organizationOf = async () => {
      elapsed += 6_000;
      return {};
    };
    expect(await authenticator.authenticate(hashApiKey('known'), anywhere, never)).not.toBeNull();
    expect(authenticator.cached(hashApiKey('known'), anywhere)).toBeUndefined();
    now.mockRestore();
  });

  it('cause a second read when a request joins an outdated read', async () => {
    const hash = hashApiKey('known');
    const start = performance.now();
    let elapsed = 0;
    const now = jest.spyOn(performance, 'now').mockImplementation(() => start + elapsed);
    let release = (_found: unknown): void => undefined;
    const reads = [
      new Promise((resolve) => (release = resolve)),
      { ...storedKey(), permissions: { allowExternal: false } },
    ];
    const authenticator = authenticatorOf(() => reads.shift());
    const first = authenticator.authenticate(hash, anywhere, freely);
    elapsed = 6_000;
    const second = authenticator.authenticate(hash, anywhere, freely);
    release(storedKey());
    expect(await first).not.toBeNull();
    expect(await second).toBeNull();
    now.mockRestore();
  });

  it('do not keep a deleted key valid', async () => {
    let queries = 0;
    const hash = hashApiKey('removed');
    const authenticator = authenticatorOf(() => (queries++ === 0 ? storedKey(hash) : null));
    expect(
      await authenticator.authenticate(hashApiKey('removed'), anywhere, freely),
    ).not.toBeNull();
    const later = performance.now() + 60_000;
    const now = jest.spyOn(performance, 'now').mockImplementation(() => later);
    for (let count = 0; count < 20; count++) {
      expect(await authenticator.authenticate(hashApiKey('removed'), anywhere, freely)).toBeNull();
    }
    now.mockRestore();
    expect(queries).toBe(2);
  });

  it('are counted for a limited number of addresses', () => {
    const failures = new AuthenticationFailures(new Clock(), environment);
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
  ['x'.repeat(1_000), 'x'.repeat(64)],
])('addressRangeOf(%j) returns %j', (address, client) => {
  expect(addressRangeOf(address)).toBe(client);
});
