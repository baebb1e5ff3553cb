import { BlockList, isIP } from 'node:net';
import { type Operation, operations } from '../../core/http/operations.js';
import type { KeyRestrictions } from '../../core/http/request-caller.js';
import type { ApiKeyDocument } from './api-key.schema.js';

type Permissions = Pick<ApiKeyDocument, 'permissions' | 'expiresAt'>;

/** What a key may be used for, and from where (rule AUTH-7). */
export function restrictionsOf(key: Permissions): KeyRestrictions {
  const addresses = key.permissions?.addresses ?? null;
  return {
    operations: new Set(permittedOperations(key)),
    addresses: addresses === null ? null : rangesOf(addresses),
    ...(key.expiresAt && { endsAt: key.expiresAt }),
  };
}

/** The operations of a key; unknown ones, perhaps of a newer version, permit nothing. */
export function permittedOperations({ permissions }: Permissions): Operation[] {
  const { operations: permitted = null, readEvents } = permissions ?? {};
  if (permitted !== null) return operations.filter((operation) => permitted.includes(operation));
  return operations.filter((operation) => operation !== 'events.read' || readEvents === true);
}

/** Whether a text is an address or a CIDR range, of IPv4 or IPv6. */
export function isAddressRange(text: string): boolean {
  return rangesOf([text]).rules.length > 0;
}

/** The ranges of a list; a text that is none permits no address. */
function rangesOf(texts: readonly string[]): BlockList {
  const ranges = new BlockList();
  for (const text of texts) {
    const [, address = '', prefix] = /^([\da-f.:]+)(?:\/(\d{1,3}))?$/i.exec(text) ?? [];
    const version = isIP(address);
    if (version === 0) continue;
    const bits = version === 4 ? 32 : 128;
    const length = Number(prefix ?? bits);
    if (length <= bits) ranges.addSubnet(address, length, version === 4 ? 'ipv4' : 'ipv6');
  }
  return ranges;
}
