import { slug as slugOf } from 'github-slugger';

const maxLength = 200;

/** Keeps letters of every script; empty without letters and digits. */
export function slugify(text: string): string {
  const slug = slugOf(text.normalize('NFC').trim()).replaceAll(/-{2,}/g, '-');
  return slug.slice(0, maxLength).toWellFormed().replaceAll(/^-|-$/g, '');
}

/**
 * Slugs by preference; the last one is unique.
 *
 * @param texts by preference
 * @param id of the document
 */
export function slugCandidates(texts: readonly (string | undefined)[], id: string): string[] {
  const slugs = texts.map((text) => slugify(text ?? '')).filter((slug) => slug !== '');
  const [first, ...others] = [...new Set(slugs)];
  if (first === undefined) return [`unit-${id}`];
  return [first, ...others.map((other) => `${first}-${other}`), `${first}-${id}`];
}
