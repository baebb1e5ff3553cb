import { stdin, stderr } from 'node:process';
import { createInterface } from 'node:readline';
import { text as readText } from 'node:stream/consumers';
import { Writable } from 'node:stream';
import { hashPassword } from '../../../core/values/password-hash.js';
import { joinResults, type Result } from '../command-line/result.js';

/** Shorter passwords can be guessed. */
const minLength = 12;
const maxLength = 256;

export async function passwordHash(): Promise<Result> {
  const password = stdin.isTTY ? await askTwice() : firstLine(await readText(stdin));
  checkLength(password);
  const hash = await hashPassword(password);
  return joinResults({ OPS_PASSWORD: hash }, hash);
}

function checkLength(password: string): void {
  const length = [...password].length;
  if (length >= minLength && length <= maxLength) return;
  throw new Error(`The password must have ${minLength} to ${maxLength} characters.`);
}

function firstLine(text: string): string {
  return /^[^\r\n]*/.exec(text)?.[0] ?? '';
}

async function askTwice(): Promise<string> {
  const password = await ask('Password: ');
  checkLength(password);
  if ((await ask('Repeat password: ')) !== password) throw new Error('Passwords do not match.');
  return password;
}

/** Reads a line without an echo, including keys pressed before the prompt appears. */
export function ask(
  question: string,
  input: NodeJS.ReadableStream = stdin,
  output: NodeJS.WritableStream = stderr,
): Promise<string> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input, output: silent, terminal: true });
  output.write(question);
  return new Promise((resolve, reject) => {
    terminal.on('SIGINT', () => reject(new Error('Canceled: no password was entered.')));
    terminal.question('', resolve);
  }).finally(() => {
    terminal.close();
    output.write('\n');
  }) as Promise<string>;
}
