import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { ssrfSafeLookup } from './ssrf-safe-lookup.js';

/** Looks up a name with these addresses, as sockets do. */
function lookUp(addresses: readonly string[], isPrivateAllowed = false): Promise<unknown> {
  const policy = { WEBHOOKS_ALLOW_HTTP: true, WEBHOOKS_ALLOW_PRIVATE_NETWORKS: isPrivateAllowed };
  const names = [[...addresses]];
  const lookup = ssrfSafeLookup(policy, {
    // A second lookup of the name fails, because its result could differ from the checked one.
    addressesOf: async () => names.pop() ?? Promise.reject(new Error('looked up twice')),
  });
  return promisify<string, object, unknown>(lookup as never)('hooks.example', { all: true });
}

describe('ssrfSafeLookup', () => {
  it('returns the addresses of a single DNS lookup', async () => {
    const public4 = { address: '1.1.1.1', family: 4 };
    expect(await lookUp(['1.1.1.1'])).toEqual([public4]);
    const private6 = { address: '::1', family: 6 };
    expect(await lookUp(['1.1.1.1', '::1'], true)).toEqual([public4, private6]);
  });

  it.each([
    [['127.0.0.1'], 'hooks.example: 127.0.0.1 is not a public address (loopback)'],
    [['1.1.1.1', '10.0.0.1'], 'hooks.example: 10.0.0.1 is not a public address (private)'],
    [[], 'hooks.example has no address'],
  ])('refuses a name with the addresses %j: %s', async (addresses, reason) => {
    await expect(lookUp(addresses)).rejects.toThrow(reason);
  });
});
