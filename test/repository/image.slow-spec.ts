import { beforeAll, describe, expect, it } from '@jest/globals';
import { fixedPort } from '../faults/support/ports.js';
import { startTcpProxy } from '../faults/support/tcp-proxy.js';
import { buildContainerImage } from '../support/container-image.js';
import { eventually } from '../support/eventually.js';
import { type ServiceProcess, startProcess } from '../support/service-process.js';
import { randomDatabaseUri } from '../support/test-service.js';

// The image's user may not read the folder of the database's socket, and the proxy makes the database unreachable.
const [, socket = '', name = ''] = /\/\/([^/]+)\/([^?]+)/.exec(randomDatabaseUri()) ?? [];
const proxy = await startTcpProxy(decodeURIComponent(socket));
const image = await buildContainerImage();
const production = {
  ENCRYPTION_KEYS: Buffer.alloc(32).toString('base64'),
  MONGODB_URI: `mongodb://127.0.0.1:${proxy.port}/${name}?directConnection=true`,
};
const password = `scrypt:32768:8:3:${'a'.repeat(22)}:${'a'.repeat(43)}`;
/** Nothing listens there, which does not disturb the service. */
const traces = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' };

async function variablesOf(role: string, more: Record<string, string> = {}) {
  const [port, opsPort] = [await fixedPort(), await fixedPort()];
  const ports = { PORT: String(port), OPS_PORT: String(opsPort) };
  // HOST is as in the image, where it is not set.
  const own = { ROLE: role, HOST: '', LOG_LEVEL: 'info', NODE_COMPILE_CACHE: '', ...more };
  return { ...image.variables, ...production, ...own, ...ports, OPS_PASSWORD: password };
}

const containers = {
  all: await variablesOf('all', traces),
  api: await variablesOf('api'),
  worker: await variablesOf('worker'),
};
const roles = Object.keys(containers) as (keyof typeof containers)[];

describe('the image', () => {
  let services: ServiceProcess[];

  beforeAll(async () => {
    const { code, output } = await image.run(['node', 'dist/cli.js', 'db', 'init'], production);
    expect([code, output]).toEqual([0, expect.stringContaining('ready')]);
    const started = roles.map((role) => startProcess(containers[role], image.command()));
    services = await Promise.all(started);
  });

  it.each(roles)('is healthy while a process with ROLE=%s runs', async (role) => {
    const { OPS_PORT } = containers[role];
    expect(await image.checkHealth(containers[role])).toEqual({
      code: 0,
      output: `http://127.0.0.1:${OPS_PORT}/readyz returns 200.\n`,
    });
  });

  it('checks the API or trusts the worker when OPS_PORT is empty', async () => {
    const without = (role: 'all' | 'worker') => ({ ...containers[role], OPS_PORT: '' });
    const { PORT } = containers.all;
    expect(await image.checkHealth(without('all'))).toEqual({
      code: 0,
      output: `http://127.0.0.1:${PORT}/external/apis/v1.0/healthz returns 200.\n`,
    });
    expect(await image.checkHealth(without('worker'))).toEqual({
      code: 0,
      output: 'A worker without OPS_PORT has no probes.\n',
    });
  });

  it('is unhealthy when no process listens, and when the port is not known', async () => {
    const variables = { ...containers.api, OPS_PORT: '1' };
    const refused = expect.stringMatching(/^http:.+ECONNREFUSED/);
    expect(await image.checkHealth(variables)).toEqual({ code: 1, output: refused });
    const { code, output } = await image.checkHealth({ ...variables, OPS_PORT: '0' });
    expect([code, output]).toEqual([1, expect.stringContaining('Set a port')]);
  });

  it('contains everything that pages, console and commands load', async () => {
    const { PORT, OPS_PORT } = containers.all;
    for (const path of ['docs', 'docs/guides/website', 'docs/search?q=lead', 'docs/openapi.json']) {
      const { status } = await fetch(`http://127.0.0.1:${PORT}/${path}`);
      expect([path, status]).toEqual([path, 200]);
    }
    const { status } = await fetch(`http://127.0.0.1:${OPS_PORT}/console/login`);
    expect(status).toBe(200);
    const command = async (...args: string[]) => {
      const { code, output } = await image.run(['node', 'dist/cli.js', ...args], production);
      expect([args.join(' '), code, code === 0 ? '' : output]).toEqual([args.join(' '), 0, '']);
    };
    await command('org', 'create', '--name', 'Nile', '--phone-country', 'EG');
    const catalogue = 'dist/operator/sandbox/catalogue.ndjson';
    await command('catalog', 'import', catalogue, '--org', 'Nile');
    await command('key', 'issue', '--org', 'Nile', '--name', 'Website', '--for', 'website');
    await command('db', 'status');
    await command('org', 'list', '--json');
  });

  it('contains every module that the service imports', async () => {
    const importAll = [
      "import { globSync } from 'node:fs';",
      String.raw`const isOther = /dist\/(main|cli|healthcheck)\.|\/(page|scalar|generate|documents|assets|libraries)\b|\/development\//;`,
      "const files = globSync('dist/**/*.js').filter((file) => !isOther.test(file));",
      "for (const file of files) await import(process.cwd() + '/' + file);",
      'console.log(files.length > 300);',
      'process.exit();',
    ].join('');
    const program = ['node', '--input-type=module', '--eval', importAll];
    expect(await image.run(program, {})).toEqual({ code: 0, output: 'true\n' });
  });

  it('contains no large package that nothing loads', () => {
    const sizes = image.installedPackages();
    const loaded = image.loadedPackages();
    const large = [...sizes].filter(([, size]) => size > 200_000).map(([one]) => one);
    // Only development prints its log with this package.
    expect(large.filter((one) => !loaded.has(one))).toEqual(['pino-pretty']);
    const unused = ['typescript', 'mongodb-memory-server', 'swagger-ui-dist', '@microsoft/tsdoc'];
    expect(unused.filter((one) => sizes.has(one))).toEqual([]);
    expect(loaded.size).toBeGreaterThan(150);
  });

  it('says what to set when the embedded database is requested', async () => {
    const { code, output } = await image.run(['node', 'dist/main.js'], { NODE_ENV: 'development' });
    expect([code, output]).toEqual([
      1,
      expect.stringContaining('not installed here: set MONGODB_URI to a replica set.'),
    ]);
  });

  it('is unhealthy in every role while the database is unreachable', async () => {
    proxy.stop();
    for (const role of roles) {
      await eventually(async () => {
        const { code, output } = await image.checkHealth(containers[role]);
        expect([role, code, output]).toEqual([role, 1, expect.stringContaining('returns 503.')]);
      });
    }
    const { code } = await image.checkHealth({ ...containers.api, OPS_PORT: '' });
    expect(code).toBe(1);
    for (const { process: child } of services) child.kill('SIGTERM');
  });
});
