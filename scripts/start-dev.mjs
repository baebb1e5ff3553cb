// `npm run start:dev` runs `nest start --watch`. This process owns the embedded database, so that the database and its
// other users survive each restart of the service.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openDatabase } from '../dist/open-database.js';
import { loadEnvironment } from '../dist/core/configuration/load-environment.js';
import { exitOnStartupError } from '../dist/start.js';

const database = await Promise.try(() => openDatabase(loadEnvironment())).catch((error) =>
  exitOnStartupError(error),
);
const nest = 'node_modules/@nestjs/cli/bin/nest.js';
// With a shell in between, signals would not reach the service.
const options = ['start', '--watch', '--watchAssets', '--no-shell'];
const watcher = spawn(process.execPath, [nest, ...options], {
  stdio: 'inherit',
  // Restarts must be fast, so no request may finish first.
  env: { DRAIN_MS: '0', ...process.env },
});
// A terminal also sends its signals to the watcher, but other signals reach only this process.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => watcher.kill());
const [code] = await once(watcher, 'exit');
await database.stop();
process.exit(code ?? 1);
