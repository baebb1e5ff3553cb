import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { delimiter, join } from 'node:path';
import { eventually } from '../../support/eventually.js';

const programs = join(import.meta.dirname, '../../../docs/guides/programs');

/** The oldest major version of Node that the guides support. */
const minNodeMajor = 20;

const interpreters = { mjs: oldestNode(), py: 'python3', php: 'php' } as const;
type Extension = keyof typeof interpreters;

/** Returns whether the program's interpreter is installed, and prints a note if it is not. */
export function canRun(program: string): boolean {
  const interpreter = interpreters[extensionOf(program)];
  const isInstalled = spawnSync(interpreter, ['--version']).status === 0;
  if (!isInstalled) process.stderr.write(`${program} is not tested: install ${interpreter}\n`);
  return isInstalled;
}

export interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export function runProgram(
  program: string,
  args: readonly string[],
  variables: Record<string, string>,
  input = '',
): Promise<Run> {
  const options = { env: environment(variables) };
  return new Promise((resolve) => {
    const command = [join(programs, program), ...args];
    const child = execFile(
      interpreters[extensionOf(program)],
      command,
      options,
      (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr });
      },
    );
    child.stdin?.end(input);
  });
}

export interface Server {
  readonly url: string;
  readonly printed: () => string;
  stop(): Promise<void>;
}

/** Starts a program and waits until it accepts connections. */
export async function startProgram(
  program: string,
  variables: Record<string, string>,
): Promise<Server> {
  const port = await freePort();
  const file = join(programs, program);
  const args = extensionOf(program) === 'php' ? ['-S', `127.0.0.1:${port}`, file] : [file];
  const child: ChildProcess = spawn(interpreters[extensionOf(program)], args, {
    env: environment({ ...variables, PORT: String(port) }),
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => (printed += text));
  }
  await eventually(async () => {
    if (child.exitCode !== null) throw new Error(`${program} ended: ${printed}`);
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    socket.destroy();
  });
  return {
    url: `http://127.0.0.1:${port}`,
    printed: () => printed,
    stop: async () => {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** Returns the oldest supported Node on PATH, because readers of the guides do not have the project's Node. */
function oldestNode(): string {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const files = new Set([process.execPath, ...folders.map((folder) => join(folder, 'node'))]);
  const majors = [...files].map((file) => {
    const { stdout } = spawnSync(file, ['--print', 'parseInt(process.versions.node)']);
    return { file, major: Number(stdout ?? 0) };
  });
  const [oldest] = majors
    .filter(({ major }) => major >= minNodeMajor)
    .toSorted((one, other) => one.major - other.major);
  return oldest?.file ?? process.execPath;
}

function extensionOf(program: string): Extension {
  return program.split('.').at(-1) as Extension;
}

function environment(variables: Record<string, string>): NodeJS.ProcessEnv {
  const { PATH } = process.env;
  return { PATH, PYTHONDONTWRITEBYTECODE: '1', ...variables };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
