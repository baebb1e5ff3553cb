import { keepCompiledCode, storeCompiledCode } from './compile-cache.js';
import { limitHeapGrowth } from './memory.js';

limitHeapGrowth();
keepCompiledCode();
const { startService } = await import('./start-service.js');
await startService();
storeCompiledCode();
