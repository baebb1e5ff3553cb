import { hash, randomBytes } from 'node:crypto';
import { BlockList, isIP } from 'node:net';
import { crc32 } from 'node:zlib';
import { asTexts } from '../../core/values/text.js';
import { originsOf } from './origins/origin.js';
import {
  addedOperations,
  keyPurposes,
  type Operation,
  operations,
  pageOperation,
  unimpliedOperations,
  type Visibility,
} from './operations.js';
import type { KeyRestrictions, RateLimit } from '../../core/http/requests/request-caller.js';
import type { ApiKeyDocument } from './api-key.schema.js';

type Permissions = Pick<ApiKeyDocument, 'permissions' | 'expiresAt'>;

export type ApiKeyState = 'active' | 'expired' | 'revoked';

export function apiKeyState(
  { revokedAt, expiresAt }: Pick<ApiKeyDocument, 'revokedAt' | 'expiresAt'>,
  now: Date,
): ApiKeyState {
  // Any value that is no later time closes the key.
  const isLater = (time: unknown) => time instanceof Date && time > now;
  if (revokedAt && !isLater(revokedAt)) return 'revoked';
  return expiresAt && !isLater(expiresAt) ? 'expired' : 'active';
}

/** Returns null without a limit, or with an invalid one of another program. */
export function keyRateLimit({ rateLimit }: Pick<ApiKeyDocument, 'rateLimit'>): RateLimit | null {
  const { rps = -1, burst = 0 } = rateLimit ?? {};
  const isValid = Number.isInteger(rps) && Number.isInteger(burst) && rps >= 0 && burst > 0;
  return isValid ? { rps, burst } : null;
}

export function restrictionsOf(key: Permissions): KeyRestrictions {
  const addresses: unknown = key.permissions?.addresses ?? [];
  const isOpen = Array.isArray(addresses) && addresses.length === 0;
  return {
    operations: new Set(permittedOperations(key)),
    // A value of another type permits nothing.
    addresses: isOpen ? null : rangesOf(asTexts(addresses)),
    origins: originsOf(key.permissions?.origins),
    visibility: visibilityOf(key),
    ...(key.expiresAt && { endsAt: key.expiresAt }),
  };
}

/** Unknown operations, perhaps of a newer version, permit nothing. A key for pages permits one operation at most. */
export function permittedOperations({ permissions }: Permissions): Operation[] {
  const permitted = permissions?.operations ?? null;
  const isForPages = originsOf(permissions?.origins) !== null;
  return operations.filter((operation) => {
    if (isForPages && operation !== pageOperation) return false;
    return permitted === null
      ? !unimpliedOperations.has(operation)
      : asTexts(permitted).includes(operation);
  });
}

/** Returns false for a new key with origins that would permit more than pages may do (rule AUTH-10). */
export function isForPagesOnly(
  permitted: readonly string[] | null | undefined,
  origins: readonly string[] | null | undefined,
): boolean {
  const isForPages = originsOf(origins) !== null;
  return !isForPages || (permitted?.length === 1 && permitted[0] === pageOperation);
}

/** An unknown value, perhaps of a newer version, shows the least. */
export function visibilityOf({ permissions }: Pick<Permissions, 'permissions'>): Visibility {
  return (permissions?.visibility ?? 'all') === 'all' ? 'all' : 'public';
}

const isNew = (operation: Operation) => addedOperations.has(operation);

/** Returns what a new key for the same purpose would permit, too: the purpose has got these operations since. */
export function newOperations({ permissions }: Pick<Permissions, 'permissions'>): Operation[] {
  const stored = permissions?.operations ?? null;
  if (stored === null) return [...unimpliedOperations].filter(isNew);
  const permitted: ReadonlySet<string> = new Set(asTexts(stored));
  const purposes: readonly { readonly operations: readonly Operation[] }[] =
    Object.values(keyPurposes);
  const missing = purposes.map((purpose) => {
    const others = purpose.operations.filter((operation) => !permitted.has(operation));
    return permitted.size === purpose.operations.length - others.length ? others : [];
  });
  const isEarlier = (others: readonly Operation[]) => others.length > 0 && others.every(isNew);
  return missing.find(isEarlier) ?? [];
}

/** Earlier versions let keys without a list of operations read events by `permissions.readEvents`. */
export function lostOperations({ permissions }: Pick<Permissions, 'permissions'>): Operation[] {
  const { operations: permitted = null, readEvents } = permissions ?? {};
  return permitted === null && readEvents === true ? ['events.read'] : [];
}

export function isAddressRange(text: string): boolean {
  return rangesOf([text]).rules.length > 0;
}

/** An invalid range permits no address. */
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

const keyLabel = 'iapi_';
const prefixLength = keyLabel.length + 6;

/** Consists of a label for secret scanners, 192 random bits, and a checksum that reveals typing errors. */
export function newApiKey() {
  const random = randomBytes(24).toString('base64url');
  const key = `${keyLabel}${random}${checksum(random)}`;
  return { key, prefix: key.slice(0, prefixLength), hash: hashApiKey(key) };
}

export function prefixOf(text: string): string {
  return text.startsWith(keyLabel) ? text.slice(0, prefixLength) : text;
}

export function hashApiKey(key: string): string {
  return hash('sha256', key, 'hex');
}

function checksum(random: string): string {
  return crc32(random).toString(16).padStart(8, '0');
}
