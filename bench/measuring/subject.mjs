// The programs that are measured, each in a process of its own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { prefix } from '../driving/requests.mjs';
import { productionEnvironment } from './environment.mjs';
import { nodeFlags } from './node-flags.mjs';
import { processorTime, residentMemory } from './process-figures.mjs';

const root = join(import.meta.dirname, '../..');
const startTimeoutMs = 120_000;
const pollMs = 5;

/** How many programs were started. */
let instances = 0;

/** A program that listens. While it is paused it takes no processor time from the others. */
class Subject {
  constructor(name, child, { url, database, log, startMs }) {
    this.log = log;
    this.child = child;
    this.exited = once(child, 'exit');
    this.name = name;
    this.url = url;
    /** What it stores in, if it does. */
    this.database = database;
    /** From the start of the process to its first response. */
    this.startMs = startMs;
  }

  pause() {
    this.child.kill('SIGSTOP');
  }

  resume() {
    this.child.kill('SIGCONT');
  }

  /** Processor time so far in microseconds, its own and its database's. */
  processorTimes() {
    const own = processorTime(this.child.pid);
    return { own, database: this.database ? processorTime(this.database.pid) : 0 };
  }

  memory() {
    return residentMemory(this.child.pid);
  }

  /** The last errors that it has logged. */
  lastErrors() {
    const lines = readFileSync(this.log, 'utf8').split('\n');
    return lines.filter((line) => line.includes('"level":50')).slice(-3);
  }

  async stop() {
    this.resume();
    this.child.kill('SIGTERM');
    await this.exited;
  }
}

/**
 * The service as it is deployed, in production configuration, all roles in one process. What may be
 * given beside: options for Node, and variables of the environment beside those of the bench.
 */
export async function startService(database, logFolder, { options = [], variables = {} } = {}) {
  const environment = { ...productionEnvironment(database.uri), ...variables };
  return start('service', {
    options: [...nodeFlags, ...options],
    script: 'dist/main.js',
    environment,
    database,
    logFolder,
  });
}

export async function startReference(database, logFolder) {
  const environment = { PATH: process.env.PATH, NODE_ENV: 'production', MONGODB_URI: database.uri };
  return start('reference', {
    script: 'bench/reference/main.mjs',
    environment,
    database,
    logFolder,
  });
}

/** @param answers file with the answers */
export async function startCeiling(answers, logFolder) {
  const environment = { PATH: process.env.PATH, NODE_ENV: 'production' };
  const script = 'bench/reference/fixed.mjs';
  return start('ceiling', { script, argument: answers, environment, logFolder });
}

export async function startFramework(logFolder) {
  const environment = { PATH: process.env.PATH, NODE_ENV: 'production' };
  return start('framework', { script: 'bench/framework/main.mjs', environment, logFolder });
}

async function start(name, { options = [], script, argument, environment, database, logFolder }) {
  instances += 1;
  const log = join(logFolder, `${name}-${instances}.log`);
  // A file and no pipe: reading the log lines of the service would cost this process more than the service.
  const file = openSync(log, 'w');
  const startedAt = performance.now();
  const parameters = [join(root, script), ...(argument === undefined ? [] : [argument])];
  const child = spawn(process.execPath, [...options, ...parameters], {
    cwd: logFolder,
    env: environment,
    stdio: ['ignore', file, file],
  });
  closeSync(file);
  const url = await listening(name, child, log);
  // Fixed answers may not have this route: any response will do.
  await (await fetch(`${url}${prefix}/healthz`)).arrayBuffer();
  return new Subject(name, child, { url, database, log, startMs: performance.now() - startedAt });
}

async function listening(name, child, log) {
  const until = performance.now() + startTimeoutMs;
  while (child.exitCode === null && performance.now() < until) {
    const url = /Listening on\s+(http:\/\/[\d.]+:\d+)/.exec(readFileSync(log, 'utf8'))?.[1];
    if (url !== undefined) return url;
    await delay(pollMs);
  }
  child.kill('SIGKILL');
  throw new Error(`The ${name} did not start:\n${readFileSync(log, 'utf8')}`);
}
