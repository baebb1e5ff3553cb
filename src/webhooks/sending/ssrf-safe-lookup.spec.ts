import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { ssrfSafeLookup } from './ssrf-safe-lookup.js';

const development = { WEBHOOKS_ALLOW_HTTP: true, WEBHOOKS_ALLOW_PRIVATE_NETWORKS: true };
const strict = { WEBHOOKS_ALLOW_HTTP: true, WEBHOOKS_ALLOW_PRIVATE_NETWORKS: false };

/** Looks a name up whose addresses are these, as sockets do. */
async function addressesOf(policy: typeof strict, addresses: readonly string[]) {
  const asked: string[] = [];
  const lookup = ssrfSafeLookup(policy, {
    addressesOf: async (name) => {
      asked.push(name);
      return [...addresses];
    },
  });
  const ask = promisify<string, object, unknown>(lookup as never);
  try {
    return { found: await ask('hooks.example', { all: true }), asked };
  } catch (error) {
    return { found: (error as Error).message, asked };
  }
}

describe('ssrfSafeLookup', () => {
  it('returns the addresses of a single DNS lookup', async () => {
    expect(await addressesOf(development, ['127.0.0.1', '::1'])).toEqual({
      found: [
        { address: '127.0.0.1', family: 4 },
        { address: '::1', family: 6 },
      ],
      asked: ['hooks.example'],
    });
    const { found } = await addressesOf(strict, ['1.1.1.1']);
    expect(found).toEqual([{ address: '1.1.1.1', family: 4 }]);
  });

  it.each([
    ['127.0.0.1'],
    ['169.254.169.254'],
    ['::ffff:127.0.0.1'],
    ['fe80::1'],
    ['1.1.1.1', '10.0.0.1'],
  ])('rejects a name when one of its addresses is not public: %s', async (...addresses) => {
    const { found } = await addressesOf(strict, addresses);
    expect(found).toMatch(/^hooks\.example: \S+ is not a public address/);
  });

  it('rejects a name without addresses', async () => {
    expect(await addressesOf(strict, [])).toMatchObject({
      found: 'hooks.example has no address',
    });
  });
});
