import { keepCompiledCode } from './compile-cache.js';

// A reader that has seen enough, such as `head`, is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit();
  throw error;
});
keepCompiledCode();
const { runCommandLine } = await import('./operator/command-line/program.js');
await runCommandLine(process.argv.slice(2));
