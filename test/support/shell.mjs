// One process runs all command lines, because its start takes longer than most commands.
import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const program = join(import.meta.dirname, '../../dist/operator/cli/command-line/program.js');
const loop = `
  import { createInterface } from 'node:readline';
  import { Logger } from ${JSON.stringify(import.meta.resolve('@nestjs/common'))};
  import { runCommandLine } from ${JSON.stringify(pathToFileURL(program).href)};
  for await (const line of createInterface({ input: process.stdin })) {
    const { args, env } = JSON.parse(line);
    for (const name of Object.keys(process.env)) delete process.env[name];
    Object.assign(process.env, env);
    process.exitCode = 0;
    await runCommandLine(args);
    // The next command would print the lines that Nest buffers for a command that fails before it has a logger.
    Logger.logBuffer = [];
    process.stderr.write('\\0');
    process.stdout.write(process.exitCode + '\\0');
  }
  process.exit(0);
`;

let shell;
let lastCommand = Promise.resolve();

/**
 * Runs a command line after all earlier ones.
 *
 * @param command `args`, and `env` with all of its environment variables
 * @returns its `code`, `stdout` and `stderr`
 */
export function runInShell(command) {
  const outcome = lastCommand.then(() => run(command));
  lastCommand = outcome.catch(() => undefined);
  return outcome;
}

export function endShell() {
  shell?.stdin.end();
}

async function run(command) {
  // The command line would read a `.env` in its working directory.
  const options = { env: command.env, cwd: tmpdir() };
  shell ??= spawn(process.execPath, ['--input-type=module', '--eval', loop], options);
  const written = Promise.all([untilEnd(shell.stdout), untilEnd(shell.stderr)]);
  shell.stdin.write(`${asciiLine(command)}\n`);
  const [stdout, stderr] = await written;
  const code = /\d+$/.exec(stdout)?.[0] ?? '-1';
  return { code: Number(code), stdout: stdout.slice(0, -code.length), stderr };
}

/** Reads the output of a command, which a null character ends. */
function untilEnd(stream) {
  return new Promise((resolve, reject) => {
    let text = '';
    const collect = (chunk) => {
      text += chunk.toString();
      if (text.endsWith('\0')) finish(() => resolve(text.slice(0, -1)));
    };
    const fail = () => finish(() => reject(new Error(`The command line ended: ${text}`)));
    const finish = (settle) => {
      stream.off('data', collect).off('end', fail);
      settle();
    };
    stream.on('data', collect).on('end', fail);
  });
}

/** The reader of lines also ends a line at U+2028 and U+2029. */
function asciiLine(command) {
  return JSON.stringify(command).replaceAll(/[\u0080-\uffff]/g, escapedUnit);
}

function escapedUnit(unit) {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
