import { stdin, stderr } from 'node:process';
import { createInterface } from 'node:readline';
import { text as readText } from 'node:stream/consumers';
import { Writable } from 'node:stream';
import { hashPassword } from '../../../core/values/password-hash.js';
import { type OutputOptions, printJson, printLine } from '../command-line/output.js';

/** Shorter ones are found by trying. */
const minLength = 12;
const maxLength = 256;

/** The action of `console password`. */
export async function printHash(output: OutputOptions): Promise<void> {
  const password = stdin.isTTY ? await askTwice() : firstLine(await readText(stdin));
  checkLength(password);
  const hash = await hashPassword(password);
  if (output.json === true) printJson({ OPS_PASSWORD: hash });
  else printLine(hash);
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
