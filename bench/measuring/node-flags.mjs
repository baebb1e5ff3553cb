// The flags and variables with which `npm start` and the image run Node.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const { scripts } = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'),
);

export const nodeFlags = scripts.start.match(/--\S+/g);
export const nodeVariables = Object.fromEntries(
  scripts.start.matchAll(/(?:^| )([A-Z_]+)=(\S+)/g).map(([, name, value]) => [name, value]),
);
