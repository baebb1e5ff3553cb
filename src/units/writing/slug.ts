import { slug as slugOf } from 'github-slugger';

const maxLength = 200;

/**
 * The name of a document in addresses: lower case, dashes for spaces, letters of every script kept.
 *
 * @returns empty when the text has no letter or digit
 */
export function slugify(text: string): string {
  const slug = slugOf(text.normalize('NFC').trim()).replaceAll(/-{2,}/g, '-');
  return slug.slice(0, maxLength).toWellFormed().replaceAll(/^-|-$/g, '');
}

/**
 * What a document can be called in addresses, the best first; the last is unique.
 *
 * @param texts what identifies the document, the best first
 * @param id the document's own id
 */
export function slugCandidates(texts: readonly (string | undefined)[], id: string): string[] {
  const slugs = texts.map((text) => slugify(text ?? '')).filter((slug) => slug !== '');
  const [first, ...others] = [...new Set(slugs)];
  if (first === undefined) return [`unit-${id}`];
  return [first, ...others.map((other) => `${first}-${other}`), `${first}-${id}`];
}
