import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sharedAddresses } from '../support/shared-service.js';
import { openTerminal, type Terminal } from '../support/terminal.js';

/** The result of a run of the command line. */
export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const compiled = join(process.cwd(), 'dist');

/** Runs the command line; variables are its environment, none of this process's is. */
export async function runCli(
  args: readonly string[],
  variables: Record<string, string> = {},
): Promise<Outcome> {
  const body = JSON.stringify({ args, env: environmentWith(variables) });
  const response = await fetch(sharedAddresses().shell, { method: 'POST', body });
  return (await response.json()) as Outcome;
}

type Run<T> = (line: string, ...more: readonly string[]) => Promise<T>;

/** The command line with variables that stay. Spaces separate the words of a first string. */
export interface Session {
  readonly run: Run<Outcome>;
  /** Runs a command with `--json` and returns what it printed. @throws Error when it fails */
  readonly json: <T>(...call: Parameters<Run<T>>) => Promise<T>;
  /** Runs a command and returns its table. @throws Error when it fails */
  readonly text: Run<string>;
}

/** @param variables a function where they are known only when tests run */
export function startSession(
  variables: Record<string, string> | (() => Record<string, string>),
): Session {
  const known = () => (typeof variables === 'function' ? variables() : variables);
  const words: (...call: Parameters<Run<void>>) => string[] = (line, ...more) => [
    ...line.split(' '),
    ...more,
  ];
  return {
    run: (...call) => runCli(words(...call), known()),
    json: (...call) => runJson(words(...call), known()),
    text: (...call) => stdoutOf(words(...call), known()),
  };
}

/** Runs the compiled command line in a process of its own, as an operator does. */
export function runCliProcess(
  args: readonly string[],
  variables: Record<string, string> = {},
): Promise<Outcome> {
  return runNode([join(compiled, 'cli.js'), ...args], variables);
}

/** As {@link runCliProcess}, but its output goes into a file, or into a pipe that nobody reads. */
export async function runCliUnread(
  args: readonly string[],
  variables: Record<string, string> = {},
  path?: string,
): Promise<{ readonly code: number | null; readonly stderr: string }> {
  const file = path === undefined ? undefined : openSync(path, 'w');
  const child = spawn(process.execPath, [join(compiled, 'cli.js'), ...args], {
    env: environmentWith(variables),
    cwd: tmpdir(),
    stdio: ['ignore', file ?? 'pipe', 'pipe'],
  });
  child.stdout?.destroy();
  let stderr = '';
  child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  if (file !== undefined) closeSync(file);
  return { code, stderr };
}

/** Runs the compiled command line on a terminal of its own. */
export function runCliOnTerminal(
  args: readonly string[],
  variables: Record<string, string>,
): Terminal {
  const command = [process.execPath, join(compiled, 'cli.js'), ...args];
  return openTerminal(command, { env: environmentWith(variables), cwd: tmpdir() });
}

/** Runs a command with `--json` and returns what it printed. @throws Error when it fails */
export async function runJson<T>(
  args: readonly string[],
  variables: Record<string, string>,
): Promise<T> {
  return JSON.parse(await stdoutOf([...args, '--json'], variables)) as T;
}

async function stdoutOf(args: readonly string[], variables: Record<string, string>) {
  const { code, stdout, stderr } = await runCli(args, variables);
  if (code !== 0 || stderr !== '') throw new Error(`${args.join(' ')}: ${code} ${stderr}`);
  return stdout;
}

/** Runs a program in a process of its own. */
export function runNode(
  args: readonly string[],
  variables: Record<string, string> = {},
): Promise<Outcome> {
  const env = environmentWith(variables);
  return new Promise((resolve) => {
    // A folder without `.env`.
    const options = { env, cwd: tmpdir() };
    execFile(process.execPath, args, options, (error, stdout, stderr) => {
      const code = error === null ? 0 : error.code;
      resolve({ code: typeof code === 'number' ? code : -1, stdout, stderr });
    });
  });
}

function environmentWith(variables: Record<string, string>): Record<string, string> {
  const { PATH = '', HOME = '', NODE_COMPILE_CACHE = '' } = process.env;
  return { PATH, HOME, NODE_ENV: 'test', NODE_COMPILE_CACHE, ...variables };
}
