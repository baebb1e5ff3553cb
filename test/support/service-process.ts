import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { afterAll } from '@jest/globals';
import type { LeadDto } from '../../src/leads/dto/lead.dto.js';
import { basePath } from './shared-service.js';

/** A service in its own process, started as `npm start` does. */
export interface ServiceProcess {
  readonly process: ChildProcessByStdio<null, Readable, Readable>;
  /** The address without a path. It is empty for a worker, which does not listen. */
  readonly url: string;
  /** Returns everything printed so far; `stdout` is the part on standard output. */
  readonly output: () => string;
  readonly stdout: () => string;
  /** Resolves with the exit code, or with null when a signal ended the process. */
  readonly exited: Promise<number | null>;
}

const compiledService = [process.execPath, join(import.meta.dirname, '../../dist/main.js')];

/** Returns the command of a service that loads a module first. */
export function preloadCommand(module: string): string[] {
  const [node, ...service] = compiledService;
  return [node as string, '--import', module, ...service];
}

/**
 * Starts the compiled service and waits until it listens.
 *
 * @throws Error with the output when the process exits before
 */
export async function startProcess(
  variables: Record<string, string>,
  command = compiledService,
): Promise<ServiceProcess> {
  const child = spawnService(variables, command);
  const output = collect(child.stdout, child.stderr);
  const stdout = collect(child.stdout);
  const exited = once(child, 'exit').then(([code]) => code as number | null);
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', () => {
      const found = /Listening on\s+(http:\S+)\/external/.exec(output())?.[1];
      if (found !== undefined) resolve(found);
      if (/Delivering\s+webhooks/.test(output())) resolve('');
    });
    void exited.then((code) => reject(new Error(`The service exited with ${code}: ${output()}`)));
  });
  return { process: child, url, output, stdout, exited };
}

export async function runUntilExit(
  variables: Record<string, string>,
): Promise<{ code: number | null; output: string }> {
  const child = spawnService(variables);
  const output = collect(child.stdout, child.stderr);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output: output() };
}

export async function kill({ process: child, exited }: ServiceProcess): Promise<void> {
  child.kill('SIGKILL');
  await exited;
}

export interface ResponseBody {
  readonly operation: string;
  readonly lead: LeadDto;
  /** Present in the responses of batches. */
  readonly results: readonly { readonly lead?: LeadDto }[];
  readonly message: string;
}

interface SentRequest {
  readonly method: string;
  readonly path: string;
  readonly key: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export async function send(
  url: string,
  { method, path, key, body, headers: extraHeaders = {} }: SentRequest,
): Promise<{ status: number; headers: Headers; body: ResponseBody }> {
  const response = await fetch(`${url}/${basePath}${path}`, {
    method,
    headers: {
      'api-key': key,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...extraHeaders,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const { status, headers } = response;
  return { status, headers, body: (text === '' ? undefined : JSON.parse(text)) as ResponseBody };
}

/** Returns the address of metrics and probes, which a service with `OPS_PORT` prints. */
export function operationsUrl({ output }: ServiceProcess): string {
  return /Metrics and probes\s+(http:[^\s"]+)/.exec(output())?.[1] ?? '';
}

function serviceEnvironment(variables: Record<string, string>): NodeJS.ProcessEnv {
  return {
    PATH: process.env['PATH'],
    HOME: process.env['HOME'],
    NODE_ENV: 'test',
    PORT: '0',
    HOST: '127.0.0.1',
    LOG_LEVEL: 'warn',
    RATE_LIMIT_RPS: '0',
    AUTH_FAILURE_RPS: '0',
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
    ...variables,
  };
}

const children: ChildProcessByStdio<null, Readable, Readable>[] = [];

/** A failed test may leave services running. */
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
});

function spawnService(
  variables: Record<string, string>,
  [program = '', ...args] = compiledService,
) {
  const child = spawn(program, args, {
    env: serviceEnvironment(variables),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  return child;
}

function collect(...streams: readonly Readable[]): () => string {
  const chunks: string[] = [];
  for (const stream of streams) {
    stream.on('data', (chunk: Buffer) => chunks.push(chunk.toString()));
  }
  return () => chunks.join('');
}
