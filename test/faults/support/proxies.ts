import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { fixedPort } from './ports.js';
import { report } from './random.js';

/** A load balancer with the configuration that the documents recommend. */
export interface Proxy {
  readonly name: string;
  readonly command: readonly string[];
  /** Returns the configuration for the ports of this test. */
  readonly configure: (ports: Ports, folder: string) => string;
}

interface Ports {
  readonly own: number;
  readonly instances: readonly [number, number];
}

const documents = 'docs/deployment.md';

/** The documented pause between two restarts, in which load balancers notice the restarted instance. */
export const pauseMs = 1_000 * Number(/^sleep (\d+)$/m.exec(readFileSync(documents, 'utf8'))?.[1]);

export const caddy: Proxy = {
  name: 'Caddy',
  command: ['caddy', 'run', '--adapter', 'caddyfile', '--config'],
  configure: (ports) => {
    const file = readFileSync('ops/compose/Caddyfile', 'utf8');
    // Other Caddy processes may have the port of the administration.
    const site = replaced(file, /^\{\$API_DOMAIN\} \{$/m, `http://127.0.0.1:${ports.own} {`);
    return `{\n\tadmin off\n}\n${withInstances(site, ports)}`;
  },
};

export const haproxy: Proxy = {
  name: 'HAProxy',
  command: ['haproxy', '-db', '-f'],
  configure: (ports) =>
    withInstances(
      replaced(documented('haproxy'), /^( *bind) .+$/m, `$1 127.0.0.1:${ports.own}`),
      ports,
    ),
};

export const nginx: Proxy = {
  name: 'nginx',
  command: ['nginx', '-c'],
  configure: (ports, folder) => {
    const plain = documented('nginx').replaceAll(/^ *ssl_.+\n/gm, '');
    const site = replaced(plain, /listen .+;/, `listen 127.0.0.1:${ports.own};`);
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
    return `
      daemon off;
      master_process off;
      pid ${folder}/nginx.pid;
      error_log stderr error;
      events {}
      http {
        access_log off;
        ${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join('\n')}
        ${withInstances(site, ports)}
      }
    `;
  },
};

/** Debian installs servers into a folder that is not on the PATH of every user. */
const PATH = `${process.env['PATH']}:/usr/sbin`;

export function isInstalled({ name, command: [program = ''] }: Proxy): boolean {
  const found = spawnSync(program, ['-v'], { env: { PATH } }).error === undefined;
  if (!found) report(`Skipped: ${name} is not installed.`);
  return found;
}

const children: ChildProcess[] = [];

/** A failed test may leave proxies running. */
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
});

/** Starts a proxy in front of two instances, and waits until it accepts connections. */
export async function startProxy(
  { name, command: [program = '', ...args], configure }: Proxy,
  instances: readonly [number, number],
) {
  const own = await fixedPort();
  const folder = mkdtempSync(join(tmpdir(), 'proxy-'));
  const file = join(folder, 'configuration');
  writeFileSync(file, configure({ own, instances }, folder));
  const child = spawn(program, [...args, file], {
    env: { PATH, HOME: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  }
  const exited = once(child, 'exit');
  await eventually(async () => {
    if (child.exitCode !== null) throw new Error(`${name} exited: ${output}`);
    const socket = connect(own, '127.0.0.1');
    await once(socket, 'connect');
    socket.destroy();
  });
  return {
    url: `http://127.0.0.1:${own}`,
    output: () => output,
    stop: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

function documented(language: string): string {
  const block = new RegExp(`^\`\`\`${language}\n(.+?)^\`\`\``, 'ms');
  const found = block.exec(readFileSync(documents, 'utf8'))?.[1];
  if (found === undefined) throw new Error(`${documents} has no configuration of ${language}.`);
  return found;
}

function withInstances(configuration: string, { instances }: Ports): string {
  return instances.reduce(
    (text, port, index) =>
      replaced(text, new RegExp(`\\bapi-${index + 1}:3000\\b`), `127.0.0.1:${port}`),
    configuration,
  );
}

/** @throws Error if the text has changed, so that the test would use something else than what is documented */
function replaced(text: string, part: RegExp, replacement: string): string {
  if (!part.test(text)) throw new Error(`The documented configuration has no ${String(part)}.`);
  return text.replace(part, replacement);
}
