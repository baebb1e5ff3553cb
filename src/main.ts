import { enableCompileCache, flushCompileCache } from 'node:module';
import { join } from 'node:path';

// Code that is loaded before this call is compiled again at each start.
enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/compiled'));
const { startService } = await import('./start.js');
await startService();
// Without this call, Node writes its compile cache only on a normal exit.
flushCompileCache();
