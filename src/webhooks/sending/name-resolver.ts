import { NODATA, NOTFOUND, CONNREFUSED } from 'node:dns';
import { lookup, Resolver } from 'node:dns/promises';
import { Injectable } from '@nestjs/common';
import { isLocalName } from './addresses.js';

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
