import { keepCompiledCode, storeCompiledCode } from './compile-cache.js';

keepCompiledCode();
const { startService } = await import('./service-process.js');
await startService();
storeCompiledCode();
