// The service as it is deployed: a process of its own, in production configuration.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const startTimeoutMs = 120_000;
/** Clock ticks of `/proc` are hundredths of a second on Linux. */
const microsecondsPerTick = 10_000;

/** Receivers of webhooks are on loopback, and a busy machine makes runs slow and not wrong: the longest deadline. */
export function environmentOf(uri) {
  return {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    NODE_ENV: 'production',
    ROLE: 'all',
    PORT: '0',
    HOST: '127.0.0.1',
    MONGODB_URI: uri,
    ENCRYPTION_KEYS: Buffer.alloc(32, 7).toString('base64'),
    DATABASE_DEADLINE_MS: '30000',
    RATE_LIMIT_RPS: '1000000',
    RATE_LIMIT_BURST: '1000000',
    WEBHOOKS_ALLOW_HTTP: 'true',
    WEBHOOKS_ALLOW_PRIVATE_NETWORKS: 'true',
  };
}

/**
 * Starts a build on a database and waits for its first response.
 *
 * @param variables of the environment, added to those of production
 * @param nodeOptions added to the flags of `npm start`
 */
export async function startService(
  { build, database, folder },
  { variables = {}, nodeOptions = [] } = {},
) {
  const { flags, assignments } = startScriptOf(build.root);
  const log = join(folder, `${build.name.replaceAll(/\W/g, '-')}-${crypto.randomUUID()}.log`);
  // A file and no pipe: reading the log would cost this process more than the service.
  const file = openSync(log, 'w');
  const child = spawn(
    process.execPath,
    [...flags, ...nodeOptions, join(build.root, 'dist/main.js')],
    {
      cwd: folder,
      env: { ...assignments, ...environmentOf(database.uri), ...variables },
      stdio: ['ignore', file, file],
    },
  );
  closeSync(file);
  return new Service({ child, build, database, log, url: await addressOf(child, log) });
}

class Service {
  /** @readonly */
  #exited;

  constructor(fields) {
    Object.assign(this, fields);
    this.#exited = once(this.child, 'exit');
  }

  /** A paused process takes no processor time from others. */
  pause() {
    this.child.kill('SIGSTOP');
  }

  resume() {
    this.child.kill('SIGCONT');
  }

  /** Processor time since the start in microseconds: of the process, and of its database. */
  processorTimes() {
    return { own: processorTime(this.child.pid), mongod: processorTime(this.database.pid) };
  }

  /** Resident memory in MB: now, and the highest since the start. */
  memory() {
    const status = readFileSync(`/proc/${this.child.pid}/status`, 'utf8');
    const megabytes = (field) =>
      Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1_024;
    return { now: megabytes('VmRSS'), highest: megabytes('VmHWM') };
  }

  /** The address of the operations listener. */
  operationsUrl() {
    return /Metrics and probes[^\n]*?(http:\/\/[\d.]+:\d+)/.exec(
      readFileSync(this.log, 'utf8'),
    )?.[1];
  }

  lastErrors() {
    const lines = readFileSync(this.log, 'utf8').split('\n');
    return lines.filter((line) => line.includes('"level":50')).slice(-3);
  }

  async stop() {
    this.resume();
    this.child.kill('SIGTERM');
    await this.#exited;
  }
}

/** The flags and variables with which a build's `npm start` runs Node. */
function startScriptOf(root) {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const assignments = scripts.start.matchAll(/(?:^| )([A-Z_]+)=(\S+)/g);
  return {
    flags: scripts.start.match(/--\S+/g) ?? [],
    assignments: Object.fromEntries([...assignments].map(([, name, value]) => [name, value])),
  };
}

async function addressOf(child, log) {
  const until = performance.now() + startTimeoutMs;
  while (child.exitCode === null && performance.now() < until) {
    const text = readFileSync(log, 'utf8');
    const url = /Listening on\s+(http:\/\/[\d.]+:\d+)/.exec(text)?.[1];
    if (url !== undefined || text.includes('Delivering')) return url;
    await delay(5);
  }
  child.kill('SIGKILL');
  throw new Error(`The service did not start:\n${readFileSync(log, 'utf8')}`);
}

function processorTime(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name before the last bracket may hold spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * microsecondsPerTick;
}
