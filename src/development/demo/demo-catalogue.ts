import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The catalogue of the demo organization, in the format of `catalog import`. */
export const demoCatalogue = (): string =>
  readFileSync(join(import.meta.dirname, 'catalogue.ndjson'), 'utf8');
