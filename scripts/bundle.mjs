// Makes `dist` of `build`: the program with its packages in a few files. A start then reads these instead
// of 3,400 modules, which takes a little more than half of the time (docs/decisions/0026-one-bundle.md).
import { cpSync, globSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';

const root = join(import.meta.dirname, '..');
const compiled = join(root, 'build');
const bundled = join(root, 'dist');
const { compilerOptions } = JSON.parse(readFileSync(join(root, 'nest-cli.json'), 'utf8'));

/** What is run, and what the tests' shared service is made of. */
const entries = {
  main: 'main.js',
  cli: 'cli.js',
  service: 'service.js',
  environment: 'configuration/environment.js',
  logger: 'http/server/logger.js',
};

/** Packages that stay apart. */
const external = [
  // All modules of a process have to share them: transactions and models go by their classes.
  'mongoose',
  'mongodb',
  'bson',
  // Loaded in development alone; served as files.
  'mongodb-memory-server',
  'mongodb-memory-server-core',
  'pino-pretty',
  'swagger-ui-dist',
  // Packages try to load these, which are not installed, or not for production.
  '@fastify/multipart',
  '@fastify/view',
  /^@nestjs\/(microservices|platform-express|websockets)/,
  'class-transformer/storage',
  'graphql',
  'handlebars',
  'hbs',
  'typescript',
];

rmSync(bundled, { recursive: true, force: true });
// The bundle comes last: by its `main.js` others see that all is there.
for (const { include } of compilerOptions.assets) {
  for (const file of globSync(include, { cwd: compiled })) {
    cpSync(join(compiled, file), join(bundled, file));
  }
}
const input = Object.fromEntries(
  Object.entries(entries).map(([name, file]) => [name, join(compiled, file)]),
);
const bundling = await rolldown({ input, external, platform: 'node', cwd: root });
await bundling.write({ dir: bundled, format: 'esm' });
await bundling.close();
