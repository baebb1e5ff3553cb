import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { installPythonPackages } from '../faults/support/python-packages.js';

const run = promisify(execFile);
/** A safety limit for hanging programs. */
const timeout = 240_000;
const programs = join(import.meta.dirname, 'programs');

/** How a program frames bodies, or which protocol it offers. */
export type Mode = 'plain' | 'chunked' | 'expect' | 'http1.0' | 'h2c';

/** Programs send a lead of this many bytes, or get compounds if it is zero. */
export interface ClientRequest {
  readonly key: string;
  readonly bytes: number;
}

export interface ClientResponse {
  readonly status: number;
  /** The header `x-error-code`, empty without one. */
  readonly errorCode: string;
  readonly body: unknown;
  /** The client's port, which identifies the connection. Only some clients show this and the following fields. */
  readonly port?: number;
  /** Whether `100 Continue` came first. The client sends no body before. */
  readonly continued?: boolean;
  readonly version?: string;
}

export interface Client {
  readonly name: string;
  readonly modes: readonly Mode[];
  /**
   * Sends requests one after another, over one connection where the client can.
   *
   * @throws Error with the output when a request gets no response
   */
  readonly send: (
    url: string,
    mode: Mode,
    requests: readonly ClientRequest[],
  ) => Promise<ClientResponse[]>;
  /** Undefined if a program or package is missing, which is reported. */
  readonly isInstalled: boolean;
}

/**
 * Each program takes the URL of the API, a mode, and requests as `<key>:<bytes>`. For each response it prints a line of
 * JSON with the fields of `ClientResponse`.
 */
function client(name: string, [command = '', ...args]: readonly string[], modes: readonly Mode[]) {
  const send: Client['send'] = async (url, mode, requests) => {
    const wanted = requests.map(({ key, bytes }) => `${key}:${bytes}`);
    const { PATH, HOME } = process.env;
    const env = { PATH, HOME, PYTHONDONTWRITEBYTECODE: '1' };
    const options = { env, timeout, maxBuffer: Infinity };
    const { stdout } = await run(command, [...args, url, mode, ...wanted], options);
    return stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as ClientResponse);
  };
  return { name, modes, send, isInstalled: isInstalled(name, command) };
}

function isInstalled(name: string, command: string): boolean {
  const found = spawnSync(command, ['--version']).error === undefined && command !== '';
  if (!found) process.stderr.write(`${name} is not tested: it is not installed.\n`);
  return found;
}

const packages = await installPythonPackages(join(import.meta.dirname, 'requirements.txt'));
const python = packages === undefined ? '' : join(packages, 'python');

export const clients: readonly Client[] = [
  client('curl', ['bash', join(programs, 'curl.sh')], ['plain', 'chunked', 'expect', 'http1.0']),
  client('Python requests', [python, join(programs, 'requests_session.py')], ['plain', 'chunked']),
  client('Python httpx', [python, join(programs, 'httpx_client.py')], ['plain', 'chunked']),
  client('Python sockets', ['python3', join(programs, 'sockets.py')], ['expect']),
  // Java 17 hangs when any server responds to `Expect: 100-continue` with an error.
  client('Java HttpClient', ['java', join(programs, 'Client.java')], ['plain', 'chunked', 'h2c']),
  client('PHP streams', ['php', join(programs, 'streams.php')], ['plain', 'http1.0']),
  client(
    'Node http',
    [process.execPath, join(programs, 'node-http.mjs')],
    ['plain', 'chunked', 'expect'],
  ),
  client('Node fetch', [process.execPath, join(programs, 'node-fetch.mjs')], ['plain', 'chunked']),
];
