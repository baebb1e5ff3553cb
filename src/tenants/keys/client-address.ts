import ipaddr from 'ipaddr.js';

/** Longest text by which a trusted proxy names a client without an address. */
const maxLength = 64;

/** An IPv4 address, or the /64 of an IPv6 address: the smallest range that one client gets. */
export function clientAt(address: string | undefined): string {
  // A reset connection has no address.
  if (address === undefined) return '';
  if (!ipaddr.isValid(address)) return address.slice(0, maxLength);
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  const { parts } = parsed as ipaddr.IPv6;
  return `${parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}
