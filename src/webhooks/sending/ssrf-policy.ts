import ipaddr from 'ipaddr.js';
import type { Environment } from '../../core/configuration/environment.js';

export type SsrfPolicy = Pick<
  Environment,
  'WEBHOOKS_ALLOW_HTTP' | 'WEBHOOKS_ALLOW_PRIVATE_NETWORKS'
>;

const privateRanges: ReadonlySet<string> = new Set([
  'loopback',
  'private',
  'carrierGradeNat',
  'uniqueLocal',
]);

/** Clouds serve credentials here, at addresses outside the ranges above. */
const metadataServices: ReadonlySet<string> = new Set([
  '100.100.100.200',
  '168.63.129.16',
  'fd00:ec2::254',
  'fd20:ce::254',
]);

const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/** Returns why an address is forbidden, or null (rule HOOK-11). */
export function ssrfViolation(text: string, policy: SsrfPolicy): string | null {
  if (!ipaddr.isValid(text)) return `${text} is not an IP address`;
  const address = ipaddr.process(text);
  const name = address.toString();
  if (metadataServices.has(name)) return `${name} is a metadata service`;
  const range = address.range();
  if (privateRanges.has(range)) {
    return policy.WEBHOOKS_ALLOW_PRIVATE_NETWORKS
      ? null
      : `${name} is not a public address (${range})`;
  }
  return isPublic(address) ? null : `${name} is not a public address (${range})`;
}

/** Returns why a URL is forbidden as far as its text shows, or null. */
export function urlViolation(text: string, policy: SsrfPolicy): string | null {
  if (!URL.canParse(text)) return 'it is not a URL';
  const { protocol, username, password, hostname } = new URL(text);
  if (protocol !== 'https:' && !(protocol === 'http:' && policy.WEBHOOKS_ALLOW_HTTP)) {
    return 'it must start with https:// (WEBHOOKS_ALLOW_HTTP allows http://)';
  }
  if (username !== '' || password !== '') return 'it must not contain a user name or password';
  const literal = literalAddress(hostname);
  if (literal !== null) return ssrfViolation(literal, policy);
  if (isLocalName(hostname) && !policy.WEBHOOKS_ALLOW_PRIVATE_NETWORKS)
    return `${hostname} is this machine`;
  return null;
}

/** Returns null for a host name. `URL` has already normalized all spellings of IPv4 addresses. */
export function literalAddress(hostname: string): string | null {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  return ipaddr.isValid(host) ? host : null;
}

export function isLocalName(hostname: string): boolean {
  return /(^|\.)localhost\.?$/i.test(hostname);
}

function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.range() !== 'unicast') return false;
  if (address instanceof ipaddr.IPv4) return true;
  // The library also calls unassigned addresses outside special ranges unicast.
  return address.zoneId === undefined && address.match(globalUnicast);
}
