import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { programFolder } from '../program-folder.js';

/** The catalogue of the demo organization, in the format of `catalog import`. */
export const demoCatalogue = (): string =>
  readFileSync(join(programFolder, 'demo/catalogue.ndjson'), 'utf8');
