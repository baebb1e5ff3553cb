import { stdin, stderr } from 'node:process';
import { createInterface } from 'node:readline';
import { text as readText } from 'node:stream/consumers';
import { Writable } from 'node:stream';
import type { Command } from 'commander';
import { hashPassword } from '../../../core/values/password-hash.js';
import { addCommand, addPrintingCommand } from '../command-line/command-texts.js';
import { type OutputOptions, printJson, printLine } from '../command-line/output.js';

/** Shorter ones are found by trying. */
const minLength = 12;
const maxLength = 256;

export function addConsoleCommands(program: Command): void {
  const group = addCommand(program, {
    name: 'console',
    description: "prepare the operator's web pages",
    example: 'console password',
  });
  addPrintingCommand(group, {
    name: 'password',
    description:
      'print the value of OPS_PASSWORD for a password, which is asked for or read from standard input',
    example: 'console password',
  }).action(async (options: OutputOptions) => {
    const password = stdin.isTTY ? await askTwice() : firstLine(await readText(stdin));
    checkLength(password);
    const hash = await hashPassword(password);
    if (options.json === true) printJson({ OPS_PASSWORD: hash });
    else printLine(hash);
  });
}

function checkLength(password: string): void {
  const length = [...password].length;
  if (length >= minLength && length <= maxLength) return;
  throw new Error(`The password must have ${minLength} to ${maxLength} characters.`);
}

function firstLine(text: string): string {
  return /^[^\r\n]*/.exec(text)?.[0] ?? '';
}

/** @throws Error when the second time it is another one */
async function askTwice(): Promise<string> {
  const password = await ask('Password: ');
  checkLength(password);
  if ((await ask('Once more: ')) !== password) throw new Error('The two are not the same.');
  return password;
}

/** Reads a line that nobody sees; what is typed right at the question is not shown either. */
export function ask(
  question: string,
  input: NodeJS.ReadableStream = stdin,
  output: NodeJS.WritableStream = stderr,
): Promise<string> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input, output: silent, terminal: true });
  output.write(question);
  return new Promise((resolve, reject) => {
    terminal.on('SIGINT', () => reject(new Error('No password was given.')));
    terminal.question('', resolve);
  }).finally(() => {
    terminal.close();
    output.write('\n');
  }) as Promise<string>;
}
