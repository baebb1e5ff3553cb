import type { LookupOptions } from 'node:dns';
import { isIPv6, type LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import { buildConnector } from 'undici';
import { addressFault, type AddressPolicy, literalAddress } from './addresses.js';

/** An address that may not be connected to. */
export class RefusedAddressError extends Error {}

/** Finds all addresses of a name. */
export type Resolve = (name: string) => Promise<readonly string[]>;

/**
 * Opens connections to allowed addresses only. The address that was checked is the one that the
 * socket connects to: the name is asked for once, so that a second answer cannot lead elsewhere.
 *
 * @param timeout milliseconds for the connection, its encryption included
 */
export function guardedConnector(
  policy: AddressPolicy,
  resolve: Resolve,
  timeout: number,
): buildConnector.connector {
  // Sockets that try one address after another ask for all of them at once.
  const lookup: LookupFunction = callbackify(async (name: string, _options: LookupOptions) => {
    const addresses = await resolveAllowed(name, policy, resolve);
    return addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  });
  const connect = buildConnector({ timeout, allowH2: false, lookup, autoSelectFamily: true });
  return (options, callback) => {
    // Sockets ask no look-up for a host that is an address already.
    const literal = literalAddress(options.hostname);
    const fault = literal === null ? null : addressFault(literal, policy);
    if (fault === null) connect(options, callback);
    else callback(new RefusedAddressError(fault), null);
  };
}

/** One inward address among several is refused too: which one is used would be chance. */
async function resolveAllowed(
  name: string,
  policy: AddressPolicy,
  resolve: Resolve,
): Promise<readonly string[]> {
  const addresses = await resolve(name);
  if (addresses.length === 0) throw new Error(`${name} has no address`);
  for (const address of addresses) {
    const fault = addressFault(address, policy);
    if (fault !== null) throw new RefusedAddressError(`${name}: ${fault}`);
  }
  return addresses;
}
