// One run of the service for `npm run dev`: loads the packages, and starts when it is told to.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
enableCompileCache(join(root, 'node_modules/.cache/compiled'));
// Who told it is gone; a terminal's signals reach it by themselves.
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
const told = once(process, 'message');
const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
// One after the other: some need each other in the order in which the program loads them. The types of some come alone.
for (const name of Object.keys(dependencies)) await import(name).catch(() => undefined);
await told;
await import('../build/main.js');
process.send('started');
process.channel.unref();
