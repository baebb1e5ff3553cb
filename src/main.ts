import { keepCompiledCode, storeCompiledCode } from './compile-cache.js';

keepCompiledCode();
const { startService } = await import('./start.js');
await startService();
storeCompiledCode();
