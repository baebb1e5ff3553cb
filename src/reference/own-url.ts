import type { FastifyRequest } from 'fastify';

/** Stands for the URL of the service, which only a request knows. */
export const ownUrl = '/';

/** A document differs by these, and a shared cache must not return the URL of one client to another. */
export const ownUrlVary = 'accept-encoding, host, x-forwarded-host, x-forwarded-proto';

/** Longer hosts and other characters are not repeated in a document. */
const plausibleHost = /^(?:[\w.-]{1,253}|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i;

/**
 * Returns the URL without a path, or `ownUrl` for an implausible host. Headers of proxies count only from trusted ones
 * (`TRUST_PROXY`).
 */
export function urlOf({ protocol, host }: FastifyRequest): string {
  const isPlausible = /^https?$/.test(protocol) && plausibleHost.test(host);
  return isPlausible ? `${protocol}://${host}` : ownUrl;
}
