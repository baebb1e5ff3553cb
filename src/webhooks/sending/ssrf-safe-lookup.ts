import { CONNREFUSED, type LookupOptions, NODATA, NOTFOUND } from 'node:dns';
import { lookup, Resolver } from 'node:dns/promises';
import { isIPv6, type LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import { Injectable } from '@nestjs/common';
import { type AddressPolicy, isLocalName, ssrfViolation } from './addresses.js';

/** Errors of the name servers after which the machine's own files may know the name. */
const unknown: ReadonlySet<unknown> = new Set([NODATA, NOTFOUND, CONNREFUSED]);

/**
 * Finds the addresses of names. Name servers are asked without the operating system's few threads:
 * there, names whose servers do not respond would keep the lookups of all other endpoints waiting.
 */
@Injectable()
export class NameResolver {
  private readonly resolver = new Resolver({ timeout: 2_000, tries: 2 });

  /**
   * All addresses of a name.
   *
   * @throws Error when it has none, or no name server responds
   */
  async addressesOf(name: string): Promise<string[]> {
    if (isLocalName(name)) return ['127.0.0.1', '::1'];
    const lookupResults = await Promise.allSettled([
      this.resolver.resolve4(name),
      this.resolver.resolve6(name),
    ]);
    const addresses = lookupResults.flatMap((result) =>
      result.status === 'fulfilled' ? result.value : [],
    );
    if (addresses.length > 0) return addresses;
    const failed = lookupResults.find((result) => result.status === 'rejected');
    const reason: unknown = failed?.reason;
    if (!unknown.has((reason as { code?: unknown } | undefined)?.code)) throw reason;
    return (await lookup(name, { all: true })).map(({ address }) => address);
  }
}

export class ForbiddenAddressError extends Error {}

/**
 * Looks names up for sockets, allowed addresses only (rule HOOK-11). The address that was checked is the one
 * that the socket connects to: the name is resolved once, so that a second lookup cannot lead elsewhere.
 * Sockets look no literal address up: `urlViolation` judges those.
 */
export function ssrfSafeLookup(
  policy: AddressPolicy,
  names: Pick<NameResolver, 'addressesOf'>,
): LookupFunction {
  // Sockets that try one address after another ask for all of them together.
  return callbackify(async (name: string, _options: LookupOptions) => {
    const addresses = await names.addressesOf(name);
    if (addresses.length === 0) throw new Error(`${name} has no address`);
    // One forbidden address among several is enough: which one is used would be chance.
    for (const address of addresses) {
      const reason = ssrfViolation(address, policy);
      if (reason !== null) throw new ForbiddenAddressError(`${name}: ${reason}`);
    }
    return addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  });
}
