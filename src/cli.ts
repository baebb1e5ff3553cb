import { keepCompiledCode } from './compile-cache.js';

let isOutputLost = false;

// What a command does it does to its end, whoever reads of it: a reader that has seen enough, such as `head`, is no error.
process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  if (code === 'EPIPE' || isOutputLost) return;
  isOutputLost = true;
  process.exitCode = 1;
  process.stderr.write(`The output could not be written: ${message}\n`);
});
keepCompiledCode();
const { runCommandLine } = await import('./operator/cli/command-line/program.js');
const { demo } = await import('./development/demo/demo-command.js');
await runCommandLine(process.argv.slice(2), { demo });
