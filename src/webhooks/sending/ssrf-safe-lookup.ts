import type { LookupOptions } from 'node:dns';
import { isIPv6, type LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import { type AddressPolicy, ssrfViolation } from './addresses.js';

export class ForbiddenAddressError extends Error {}

/** Finds all addresses of a name. */
export type Resolve = (name: string) => Promise<readonly string[]>;

/**
 * Looks names up for sockets, allowed addresses only (rule HOOK-11). The address that was checked is the one
 * that the socket connects to: the name is resolved once, so that a second lookup cannot lead elsewhere.
 * Sockets look no literal address up: `urlViolation` judges those.
 */
export function ssrfSafeLookup(policy: AddressPolicy, resolve: Resolve): LookupFunction {
  // Sockets that try one address after another ask for all of them together.
  return callbackify(async (name: string, _options: LookupOptions) => {
    const addresses = await resolve(name);
    if (addresses.length === 0) throw new Error(`${name} has no address`);
    // One forbidden address among several is enough: which one is used would be chance.
    for (const address of addresses) {
      const reason = ssrfViolation(address, policy);
      if (reason !== null) throw new ForbiddenAddressError(`${name}: ${reason}`);
    }
    return addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  });
}
