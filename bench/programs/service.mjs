// Runs the service as it is deployed: in its own process, with production configuration.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const startTimeoutMs = 120_000;
/** Clock ticks of `/proc` are hundredths of a second on Linux. */
const microsecondsPerTick = 10_000;

/** Allows webhooks to loopback, and the longest deadline, so that a busy machine slows runs without failing them. */
export function environmentOf(uri) {
  return {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    NODE_ENV: 'production',
    ROLE: 'all',
    PORT: '0',
    OPS_PORT: '0',
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
 * @param variables environment variables in addition to those of production
 * @param nodeOptions flags in addition to those of `npm start`
 */
export async function startService({ programs, build, database, variables, nodeOptions = [] }) {
  const { scripts } = JSON.parse(readFileSync(join(build.root, 'package.json'), 'utf8'));
  const flags = scripts.start.match(/--\S+/g) ?? [];
  const assignments = [...scripts.start.matchAll(/(?:^| )([A-Z_]+)=(\S+)/g)];
  const assigned = Object.fromEntries(assignments.map(([, name, value]) => [name, value]));
  const log = join(programs.folder, `${crypto.randomUUID()}.log`);
  // A file instead of a pipe: reading the log would cost this process more than the service.
  const file = openSync(log, 'w');
  const args = [...flags, ...nodeOptions, join(build.root, 'dist/main.js')];
  const child = spawn(process.execPath, args, {
    cwd: programs.folder,
    env: { ...assigned, ...environmentOf(database.uri), ...variables },
    stdio: ['ignore', file, file],
  });
  closeSync(file);
  return programs.add(Service.listening(new Service(child, build, database, log)));
}

class Service {
  constructor(child, build, database, log) {
    Object.assign(this, { child, build, database, log, name: build.name });
    this.exited = once(child, 'exit');
  }

  /** Waits until it listens or, without the role of an API, delivers. */
  static async listening(service) {
    const until = performance.now() + startTimeoutMs;
    while (service.child.exitCode === null && performance.now() < until) {
      service.url = service.printed(/Listening on\s+(http:\/\/[\d.]+:\d+)/);
      if (service.url !== undefined || service.printed(/(Delivering)/)) return service;
      await delay(5);
    }
    service.child.kill('SIGKILL');
    throw new Error(`The service did not start:\n${readFileSync(service.log, 'utf8')}`);
  }

  printed(pattern) {
    return pattern.exec(readFileSync(this.log, 'utf8'))?.[1];
  }

  /** Returns the address of the listener on OPS_PORT. */
  operationsUrl() {
    return this.printed(/Metrics and probes[^\n]*?(http:\/\/[\d.]+:\d+)/);
  }

  /** A paused process takes no CPU time from others. */
  pause() {
    this.child.kill('SIGSTOP');
  }

  resume() {
    this.child.kill('SIGCONT');
  }

  /** Returns the CPU time of the process and of its database since the start, in microseconds. */
  processorTimes() {
    return { own: processorTime(this.child.pid), mongod: processorTime(this.database.pid) };
  }

  /** Returns the current and the highest resident memory since the start, in MB. */
  memory() {
    const status = readFileSync(`/proc/${this.child.pid}/status`, 'utf8');
    const megabytes = (field) =>
      Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1_024;
    return { now: megabytes('VmRSS'), highest: megabytes('VmHWM') };
  }

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

function processorTime(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name before the last bracket may hold spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * microsecondsPerTick;
}
