import { enableCompileCache, flushCompileCache } from 'node:module';
import { join } from 'node:path';

// Code that is loaded before this call is compiled again at each start.
enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/compiled'));
const { startService } = await import('./start.js');
await startService();
// Node itself stores compiled code only when the process exits by itself.
flushCompileCache();
