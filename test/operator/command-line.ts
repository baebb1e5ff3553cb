import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sharedAddresses } from '../support/shared-service.js';
import { openTerminal, type Terminal } from '../support/terminal.js';

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const compiled = join(process.cwd(), 'dist');

/** Runs the command line in the shared process with these variables only. */
export async function runCli(
  args: readonly string[],
  variables: Record<string, string> = {},
): Promise<Outcome> {
  const body = JSON.stringify({ args, env: environmentWith(variables) });
  const response = await fetch(sharedAddresses().shell, { method: 'POST', body });
  return (await response.json()) as Outcome;
}

type Run<T> = (line: string, ...more: readonly string[]) => Promise<T>;

/** Runs commands with fixed variables. The first argument is split at spaces; further ones stay whole. */
export interface Session {
  readonly run: Run<Outcome>;
  /**
   * @returns the output of a command with `--json`
   * @throws Error if it fails
   */
  readonly json: <T>(...call: Parameters<Run<T>>) => Promise<T>;
  /**
   * @returns the table that a command prints
   * @throws Error if it fails
   */
  readonly text: Run<string>;
}

/** @param variables a function if they are known only once tests run */
export function startSession(
  variables: Record<string, string> | (() => Record<string, string>),
): Session {
  const resolved = () => (typeof variables === 'function' ? variables() : variables);
  const words: (...call: Parameters<Run<void>>) => string[] = (line, ...more) => [
    ...line.split(' '),
    ...more,
  ];
  return {
    run: (...call) => runCli(words(...call), resolved()),
    json: (...call) => runJson(words(...call), resolved()),
    text: (...call) => stdoutOf(words(...call), resolved()),
  };
}

/** Runs the compiled command line in its own process, as an operator does. */
export function runCliProcess(
  args: readonly string[],
  variables: Record<string, string> = {},
): Promise<Outcome> {
  return runNode([join(compiled, 'cli.js'), ...args], variables);
}

/** Writes the output to a file, or to a pipe that is closed immediately. */
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

export function runCliOnTerminal(
  args: readonly string[],
  variables: Record<string, string>,
): Terminal {
  const command = [process.execPath, join(compiled, 'cli.js'), ...args];
  return openTerminal(command, { env: environmentWith(variables), cwd: tmpdir() });
}

/**
 * @returns the output of a command with `--json`
 * @throws Error if it fails
 */
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

export function runNode(
  args: readonly string[],
  variables: Record<string, string> = {},
): Promise<Outcome> {
  const env = environmentWith(variables);
  return new Promise((resolve) => {
    // The command line would read a `.env` in its working directory.
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
