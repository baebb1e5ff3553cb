import { keepCompiledCode, storeCompiledCode } from './compile-cache.js';

keepCompiledCode();
const { startService } = await import('./start-service.js');
await startService();
storeCompiledCode();
