import ipaddr from 'ipaddr.js';

/** Longest text that stands for a client that a trusted proxy names by something else. */
const maxLength = 64;

/**
 * What stands for the client at an address: an IPv4 address itself, of an IPv6 address the /64, which is
 * the least that one client gets.
 */
export function clientAt(address: string | undefined): string {
  // A connection that was reset has none any more.
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
