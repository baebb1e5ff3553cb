import { join } from 'node:path';
import { requireNodeVersion } from './core/configuration/node-version.js';

requireNodeVersion();
// An older Node does not have this function, and would report the import instead of its version.
const { enableCompileCache } = await import('node:module');

let isOutputLost = false;

// A reader that has seen enough, such as `head`, closes the pipe; the command still does all its work.
process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  if (code === 'EPIPE' || isOutputLost) return;
  isOutputLost = true;
  process.exitCode = 1;
  process.stderr.write(`The output could not be written: ${message}\n`);
});
// Must run before the imports below, so that their compiled code is cached.
enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/compiled'));
const { runCommandLine } = await import('./operator/cli/command-line/program.js');
const { demoCommand } = await import('./development/demo/demo-command.js');
await runCommandLine(process.argv.slice(2), demoCommand);
