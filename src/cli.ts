import { runCommandLine } from './operator/command-line/program.js';

// A reader that has seen enough, such as `head`, is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit();
  throw error;
});
await runCommandLine(process.argv.slice(2));
