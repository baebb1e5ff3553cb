import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The catalogue of the demo organization, in the format of `catalog import`. */
export const demoCatalogue = (): string =>
  readFileSync(join(import.meta.dirname, 'catalogue.ndjson'), 'utf8');

/** The slugs of the units in the demo catalogue. */
export function demoUnitSlugs(): string[] {
  const lines = demoCatalogue().trim().split('\n');
  return lines
    .map((line) => JSON.parse(line) as { kind: string; slug: string })
    .filter(({ kind }) => kind === 'units')
    .map(({ slug }) => slug);
}
