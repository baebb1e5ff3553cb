import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, jest } from '@jest/globals';
import { Types } from 'mongoose';
import { Clock } from '../configuration/clock.js';
import { readEnvironment } from '../configuration/environment.js';
import type { OrganizationsRepository } from '../organizations/organizations.repository.js';
import { ApiKeyAuthenticator } from './api-key-authenticator.js';
import { hashApiKey } from './api-key-format.js';
import type { ApiKeysRepository } from './api-keys.repository.js';
import { AuthenticationFailures } from './authentication-failures.js';

const environment = readEnvironment({});
const attempts = 10_500;
const never = () => false;

describe('what strangers leave behind', () => {
  it('of keys that are none is bounded, and displaces no key', async () => {
    let queries = 0;
    const known = {
      _id: new Types.ObjectId(),
      organizationId: new Types.ObjectId(),
      hash: hashApiKey('known'),
      permissions: { allowExternal: true },
      lastUsedAt: new Date(),
    };
    const keys = {
      findByHash: (hash: string) => {
        queries++;
        return Promise.resolve(hash === known.hash ? known : null);
      },
    } as unknown as ApiKeysRepository;
    const organizations = {
      find: () => Promise.resolve({}),
    } as unknown as OrganizationsRepository;
    const authenticator = new ApiKeyAuthenticator(keys, organizations, new Clock(), environment);
    expect(await authenticator.authenticate('known', '', never)).not.toBeNull();
    for (let index = 0; index < attempts; index++) {
      expect(await authenticator.authenticate(`unknown ${index}`, '', never)).toBeNull();
    }
    expect(authenticator.stats()).toEqual({ known: 1, unknown: 10_000 });
    expect(queries).toBe(1 + attempts);
    expect(await authenticator.authenticate('known', '', () => true)).not.toBeNull();
    // Once it is old it has to be looked up, but is no new key.
    const later = performance.now() + 60_000;
    const now = jest.spyOn(performance, 'now').mockImplementation(() => later);
    await delay(5);
    expect(authenticator.remembered('known', '')).toBeUndefined();
    expect(await authenticator.authenticate('known', '', () => true)).not.toBeNull();
    now.mockRestore();
  });

  it('of a key that is no more is no key either', async () => {
    let queries = 0;
    const hash = hashApiKey('removed');
    const _id = new Types.ObjectId();
    const document = { _id, organizationId: _id, hash, permissions: { allowExternal: true } };
    const keys = {
      findByHash: () =>
        Promise.resolve(queries++ === 0 ? { ...document, lastUsedAt: new Date() } : null),
    } as unknown as ApiKeysRepository;
    const organizations = { find: () => Promise.resolve({}) } as unknown as OrganizationsRepository;
    const authenticator = new ApiKeyAuthenticator(keys, organizations, new Clock(), environment);
    expect(await authenticator.authenticate('removed', '', never)).not.toBeNull();
    const later = performance.now() + 60_000;
    const now = jest.spyOn(performance, 'now').mockImplementation(() => later);
    await delay(5);
    for (let count = 0; count < 20; count++) {
      expect(await authenticator.authenticate('removed', '', never)).toBeNull();
    }
    now.mockRestore();
    expect(queries).toBe(2);
  });

  it('of addresses is bounded', () => {
    const failures = new AuthenticationFailures(new Clock(), environment);
    for (let index = 0; index < attempts; index++) failures.count(`address ${index}`);
    expect(failures.stats()).toEqual({ clients: 10_000 });
  });
});
