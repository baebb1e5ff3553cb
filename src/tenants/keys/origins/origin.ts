import { asTexts } from '../../../core/values/text.js';

/** Further origins of a key have no effect. */
export const maxOrigins = 100;

/** A page on the developer's own machine has no certificate. */
const localHost = /^(localhost|127\.0\.0\.1|\[::1\])$/;

/** Returns true for an origin as browsers send it: lower-case, without path, default port and wildcard. */
export function isOrigin(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.origin !== text || text.includes('*')) return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && localHost.test(url.hostname));
}

/** Returns null for a key without origins. A stored value of another type, and invalid origins, permit nothing. */
export function originsOf(stored: unknown): ReadonlySet<string> | null {
  const isOpen = stored === undefined || stored === null || isEmptyList(stored);
  return isOpen ? null : new Set(asTexts(stored).slice(0, maxOrigins).filter(isOrigin));
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}
