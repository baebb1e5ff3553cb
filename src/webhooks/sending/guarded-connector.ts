import type { LookupOptions } from 'node:dns';
import { isIPv6, type LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import { buildConnector } from 'undici';
import { type AddressPolicy, forbiddenAddressReason, literalAddress } from './addresses.js';

/**
 * How many addresses of a name can be tried one after another. The platform's own 250 ms for each
 * are too short for a receiver that is far away.
 */
const addressesInTime = 3;

export class ForbiddenAddressError extends Error {}

/** Finds all addresses of a name. */
export type Resolve = (name: string) => Promise<readonly string[]>;

/**
 * Opens connections to allowed addresses only (rule HOOK-11). The address that was checked is the one that the
 * socket connects to: the name is resolved once, so that a second lookup cannot lead elsewhere.
 *
 * @param timeout milliseconds for the connection, its encryption included
 */
export function guardedConnector(
  policy: AddressPolicy,
  resolve: Resolve,
  timeout: number,
): buildConnector.connector {
  // Sockets that try one address after another ask for all of them together.
  const lookup: LookupFunction = callbackify(async (name: string, _options: LookupOptions) => {
    const addresses = await resolveAllowed(name, policy, resolve);
    return addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  });
  const connect = buildConnector({
    timeout,
    allowH2: false,
    lookup,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: Math.floor(timeout / addressesInTime),
  });
  return (options, callback) => {
    // Sockets do no lookup for a host that is an address already.
    const literal = literalAddress(options.hostname);
    const reason = literal === null ? null : forbiddenAddressReason(literal, policy);
    if (reason === null) connect(options, callback);
    else callback(new ForbiddenAddressError(reason), null);
  };
}

/** One forbidden address among several is enough: which one is used would be chance. */
async function resolveAllowed(
  name: string,
  policy: AddressPolicy,
  resolve: Resolve,
): Promise<readonly string[]> {
  const addresses = await resolve(name);
  if (addresses.length === 0) throw new Error(`${name} has no address`);
  for (const address of addresses) {
    const reason = forbiddenAddressReason(address, policy);
    if (reason !== null) throw new ForbiddenAddressError(`${name}: ${reason}`);
  }
  return addresses;
}
