import { CONNREFUSED, type LookupOptions, NODATA, NOTFOUND } from 'node:dns';
import { lookup, Resolver } from 'node:dns/promises';
import { isIPv6, type LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import { type SsrfPolicy, isLocalName, ssrfViolation } from './ssrf-policy.js';

/** After these errors of name servers, the local hosts file may know the name. */
const unknownNameCodes: ReadonlySet<unknown> = new Set([NODATA, NOTFOUND, CONNREFUSED]);

/** Replaces the operating system's resolver, whose few threads would all wait for unresponsive servers. */
export class NameResolver {
  private readonly resolver = new Resolver({ timeout: 2_000, tries: 2 });

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
    if (!unknownNameCodes.has((reason as { code?: unknown } | undefined)?.code)) throw reason;
    return (await lookup(name, { all: true })).map(({ address }) => address);
  }
}

/** Sockets connect only to checked addresses; `urlViolation` checks literal addresses (rule HOOK-11). */
export function ssrfSafeLookup(
  policy: SsrfPolicy,
  names: Pick<NameResolver, 'addressesOf'>,
): LookupFunction {
  // Sockets with `autoSelectFamily` ask for all addresses together.
  return callbackify(async (name: string, _options: LookupOptions) => {
    const addresses = await names.addressesOf(name);
    if (addresses.length === 0) throw new Error(`${name} has no address`);
    // One forbidden address is enough, because the socket may pick any.
    for (const address of addresses) {
      const reason = ssrfViolation(address, policy);
      if (reason !== null) throw new Error(`${name}: ${reason}`);
    }
    return addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  });
}
