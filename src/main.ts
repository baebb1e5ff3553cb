import { enableCompileCache, flushCompileCache } from 'node:module';
import { join } from 'node:path';

// Before any other import: code that was loaded earlier is compiled again at each start.
enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/compiled'));
const { startService } = await import('./start.js');
await startService();
// Without it, Node stores compiled code only when the process ends by itself.
flushCompileCache();
