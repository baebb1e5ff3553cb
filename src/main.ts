import { join } from 'node:path';
import { requireNodeVersion } from './core/configuration/node-version.js';

requireNodeVersion();
// An older Node does not have these functions, and would report the import instead of its version.
const { enableCompileCache, flushCompileCache } = await import('node:module');
// Code that is loaded before this call is compiled again at each start.
enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/compiled'));
const { startService } = await import('./start.js');
await startService();
// Without this call, Node writes its compile cache only on a normal exit.
flushCompileCache();
