// `npm run start:dev`: `nest start --watch` on an embedded database that belongs to this process, so that
// the database and its other users survive each restart of the service.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openDatabase } from '../dist/open-database.js';
import { loadEnvironment } from '../dist/core/configuration/load-environment.js';
import { failStart } from '../dist/start.js';

const database = await Promise.try(() => openDatabase(loadEnvironment())).catch((error) =>
  failStart(error),
);
const nest = 'node_modules/@nestjs/cli/bin/nest.js';
// A shell between them would keep signals from the service.
const options = ['start', '--watch', '--watchAssets', '--no-shell'];
const watcher = spawn(process.execPath, [nest, ...options], {
  stdio: 'inherit',
  // No request has to finish before a restart.
  env: { DRAIN_MS: '0', ...process.env },
});
// A terminal sends its signals to the watcher, too; others reach this process alone.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => watcher.kill());
const [code] = await once(watcher, 'exit');
await database.stop();
process.exit(code ?? 1);
