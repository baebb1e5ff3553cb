// Removes the files from `node_modules` that the running service never loads. The image's build runs this program in
// the folder of package.json. A test starts the service without these files (test/repository/image.slow-spec.ts).
import { globSync, rmSync } from 'node:fs';
import { basename } from 'node:path';

/** `@nestjs/swagger` and `class-validator` depend on these packages, but load them nowhere, or only in their plugin. */
const packages = [
  '@microsoft/tsdoc',
  '@scarf/scarf',
  '@types/validator',
  '@types/webidl-conversions',
  '@types/whatwg-url',
  'swagger-ui-dist',
];
/** Types, sources, source maps and documents. */
const files = 'node_modules/**/*.{ts,cts,mts,map,md,markdown,flow}';
const license = /^(licen[cs]e|copying|notice)/i;

for (const name of packages) rmSync(`node_modules/${name}`, { recursive: true });
for (const entry of globSync(files, { withFileTypes: true })) {
  if (entry.isFile() && !license.test(basename(entry.name))) {
    rmSync(`${entry.parentPath}/${entry.name}`);
  }
}
