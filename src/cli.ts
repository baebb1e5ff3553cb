import { keepCompiledCode } from './compile-cache.js';

const outputLost = 1;

// What a command does it does to its end, whoever reads of it: a reader that has seen enough, such as `head`, is no error.
process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  if (code === 'EPIPE' || process.exitCode === outputLost) return;
  process.exitCode = outputLost;
  process.stderr.write(`The output could not be written: ${message}\n`);
});
keepCompiledCode();
const { runCommandLine } = await import('./operator/command-line/program.js');
await runCommandLine(process.argv.slice(2));
