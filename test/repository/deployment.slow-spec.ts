import { spawnSync } from 'node:child_process';
import {
  cpSync,
  globSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ts from 'typescript';
import { afterAll, describe, expect, it } from '@jest/globals';
import { parse, parseAllDocuments } from 'yaml';
import { readEnvironment } from '../../src/core/configuration/load-environment.js';
import { variableNames } from '../../src/core/configuration/environment-variables.js';
import { livenessPath, readinessPath } from '../../src/operator/ops-listener/probe-paths.js';
import { basePath } from '../../src/core/http/requests/route-options.js';

/** Manifests are untyped here, because a test checks the types of all of them together. */
// oxlint-disable-next-line typescript/no-explicit-any -- the shapes are under test
type Node = any;

const kubernetes = 'ops/kubernetes';
const manifests: Node[] = readdirSync(kubernetes)
  .filter((file) => file !== 'kustomization.yaml')
  .flatMap((file) =>
    parseAllDocuments(readFileSync(`${kubernetes}/${file}`, 'utf8')).map((document): Node =>
      document.toJS(),
    ),
  );
const manifestsOf = (kind: string): Node[] =>
  manifests.filter((manifest) => manifest.kind === kind);
const [configuration] = manifestsOf('ConfigMap');
const [secret, databaseSecret] = manifestsOf('Secret');
const deployments = manifestsOf('Deployment');
const templates = [...deployments, ...manifestsOf('Job')].map(({ metadata, spec }) => ({
  name: metadata.name as string,
  ...spec.template,
}));
const key = Buffer.alloc(32).toString('base64');
/** A process exits within this many seconds after a signal. */
const shutdownSeconds = 10;

describe('Kubernetes manifests', () => {
  it('have valid fields only', () => {
    const faulty = [{ replica: 2 }, { selector: undefined }, { replicas: '2' }].map((change) => ({
      ...deployments[0],
      spec: { ...deployments[0].spec, ...change },
    }));
    // Only the intentionally faulty manifests have problems.
    expect(typeProblems([...manifests, ...faulty])).toEqual([
      expect.stringContaining(`'"replica"' does not exist`),
      expect.stringContaining(`'"selector"' is missing`),
      expect.stringContaining("Type 'string' is not assignable to type 'number'"),
    ]);
  });

  it.each(templates)('pass a valid configuration to $name', ({ spec }) => {
    const [{ env = [], envFrom }] = spec.containers;
    const isJob = spec.restartPolicy === 'Never';
    const secrets = isJob ? [secret, databaseSecret] : [secret];
    expect(envFrom).toEqual([
      { configMapRef: { name: configuration.metadata.name } },
      ...secrets.map(({ metadata }) => ({ secretRef: { name: metadata.name } })),
    ]);
    const own = Object.fromEntries(env.map(({ name, value }: Node) => [name, value]));
    const stored = Object.assign({}, ...secrets.map(({ stringData }) => stringData));
    const given = { ...configuration.data, ...stored, ...own };
    expect(given.MONGODB_URI).toContain(isJob ? '//database:' : '//service:');
    expect(variableNames).toEqual(expect.arrayContaining(Object.keys(given)));
    expect(readEnvironment({ ...given, ENCRYPTION_KEYS: key }).NODE_ENV).toBe('production');
    // The unchanged example must not start.
    expect(() => readEnvironment(given)).toThrow('ENCRYPTION_KEYS: must be keys');
  });

  it.each(deployments)('probe $metadata.name at existing paths', ({ spec }) => {
    const [{ ports, startupProbe, livenessProbe, readinessProbe }] = spec.template.spec.containers;
    const { PORT, OPS_PORT, OPS_HOST, HOST } = configuration.data;
    for (const { name, containerPort } of ports) {
      expect(String(containerPort)).toBe(name === 'http' ? PORT : OPS_PORT);
    }
    expect([HOST, OPS_HOST]).toEqual(['0.0.0.0', '0.0.0.0']);
    const path = ({ httpGet }: Node) => [httpGet.port, httpGet.path];
    expect([startupProbe, livenessProbe, readinessProbe].map(path)).toEqual([
      ['operations', livenessPath],
      ['operations', livenessPath],
      ['operations', readinessPath],
    ]);
    // A probe takes two seconds when the database does not respond.
    expect(readinessProbe.timeoutSeconds).toBeGreaterThan(2);
  });

  it.each(deployments)('allow $metadata.name to drain before SIGKILL', ({ spec }) => {
    const { strategy, template } = spec;
    expect(strategy.rollingUpdate).toEqual({ maxSurge: 1, maxUnavailable: 0 });
    expect(template.spec.terminationGracePeriodSeconds).toBeGreaterThan(shutdownSeconds);
    const { periodSeconds, failureThreshold } = template.spec.containers[0].readinessProbe;
    expect(Number(configuration.data.DRAIN_MS)).toBeGreaterThan(
      periodSeconds * failureThreshold * 1_000,
    );
  });
});

const secretsFolder = mkdtempSync(join(tmpdir(), 'integration-api-secrets-'));
afterAll(() => rmSync(secretsFolder, { recursive: true }));
cpSync('ops/compose/create-secrets.sh', join(secretsFolder, 'create-secrets.sh'));
const createSecrets = () => spawnSync('sh', [join(secretsFolder, 'create-secrets.sh')]).status;
const created = createSecrets();

const developmentFile = 'docker-compose.yml';
const productionFile = 'ops/compose/compose.yaml';
const composeOf = (file: string): Node => parse(readFileSync(file, 'utf8'), { merge: true });
const servicesOf = (file: string) => Object.entries<Node>(composeOf(file).services);
/** Compose sets these variables when only the required settings are given. */
function environmentOf(file: string, name: string): Record<string, string> {
  const entries = Object.entries<string>(composeOf(file).services[name].environment);
  return Object.fromEntries(
    entries.map(([variable, value]) => [
      variable,
      value
        .replace(/^\$\{\w+:-(.+)\}$/, '$1')
        .replace('/run/secrets', join(secretsFolder, 'secrets')),
    ]),
  );
}

describe.each([
  [developmentFile, { api: 'service', database: 'database' }, ['mongodb']],
  [
    productionFile,
    { 'api-1': 'service', 'api-2': 'service', database: 'database' },
    ['mongodb-1', 'mongodb-2', 'mongodb-3'],
  ],
])('%s', (file, users, members) => {
  it.each(Object.entries(users))('passes a valid configuration to %s, as user %s', (name, user) => {
    const environment = environmentOf(file, name);
    expect(variableNames).toEqual(expect.arrayContaining(Object.keys(environment)));
    const { NODE_ENV, ENCRYPTION_KEYS, MONGODB_URI = '' } = readEnvironment(environment);
    expect(NODE_ENV).toBe('production');
    expect(ENCRYPTION_KEYS).toHaveLength(1);
    const hosts = members.map((member) => `${member}:27017`).join(',');
    expect(MONGODB_URI).toMatch(
      new RegExp(`^mongodb://${user}:\\w+@${hosts}/integration\\?replicaSet=rs0&authSource=admin$`),
    );
  });

  it('limits memory and log of every service', () => {
    for (const [name, { mem_limit: limit, logging }] of servicesOf(file)) {
      const { driver, options } = logging;
      expect([name, limit, driver, options['max-size']]).toEqual([
        name,
        expect.stringMatching(/\d[gm]\}?$/),
        'json-file',
        '10m',
      ]);
    }
  });

  it('runs the service without rights, on a read-only file system', () => {
    const own = servicesOf(file).filter(([, { image }]) => image.startsWith('integration-api:'));
    expect(own.map(([name]) => name).toSorted()).toEqual(Object.keys(users).toSorted());
    for (const [, service] of own) {
      expect(service).toMatchObject({ read_only: true, tmpfs: ['/tmp'], cap_drop: ['ALL'] });
    }
  });

  it('starts databases with a key file, and publishes none of their ports', () => {
    for (const member of members) {
      const { command, ports } = composeOf(file).services[member];
      expect(command).toEqual(expect.arrayContaining(['--keyFile', '/tmp/mongodb-key']));
      expect(ports).toBeUndefined();
    }
  });
});

it('docker-compose.yml needs no preparation, and publishes ports on this machine only', () => {
  const text = readFileSync(developmentFile, 'utf8');
  // A required variable has this form.
  expect(text).not.toMatch(/\$\{\w+:\?/);
  const ports = servicesOf(developmentFile).flatMap(([, { ports: own = [] }]) => own as string[]);
  expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
  expect(ports).toHaveLength(2);
});

describe('ops/compose/create-secrets.sh', () => {
  const compose = composeOf(productionFile);
  const files = readdirSync(join(secretsFolder, 'secrets')).toSorted();
  const contents = () =>
    files.map((file) => readFileSync(join(secretsFolder, 'secrets', file), 'utf8'));

  it('creates each secret of compose.yaml, which the services share', () => {
    expect(created).toBe(0);
    expect(Object.keys(compose.secrets).toSorted()).toEqual(files);
    for (const [name, { file }] of Object.entries<Node>(compose.secrets)) {
      expect(file).toBe(`./secrets/${name}`);
    }
    const used = servicesOf(productionFile).flatMap(([, { secrets = [] }]) => secrets as string[]);
    expect([...new Set(used)].toSorted()).toEqual(files);
  });

  it('lets no other user enter the folder, and keeps existing secrets', () => {
    expect(statSync(join(secretsFolder, 'secrets')).mode % 0o1000).toBe(0o700);
    const before = contents();
    expect([createSecrets(), contents()]).toEqual([0, before]);
    expect(new Set(before).size).toBe(files.length);
  });
});

describe('the version', () => {
  it('is in one place for Compose and one for Kubernetes', () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    const found = globSync('ops/**/*.{yaml,yml}').flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/integration-api:.*|newTag:.*/g)].map(
        ([line]) => `${file} ${line}`,
      ),
    );
    expect(found.toSorted()).toEqual([
      `ops/compose/compose.yaml integration-api:\${VERSION:-${version}}`,
      `ops/kubernetes/kustomization.yaml newTag: ${version}`,
    ]);
  });

  const itIfKubectl = spawnSync('kubectl', ['version', '--client']).status === 0 ? it : it.skip;
  itIfKubectl('is that of every image that kustomize renders', () => {
    const { status, stdout } = spawnSync('kubectl', ['kustomize', kubernetes]);
    expect(status).toBe(0);
    const rendered = parseAllDocuments(String(stdout)).map((document): Node => document.toJS());
    const unlisted = rendered.filter(({ kind }) => kind === 'Secret');
    expect(unlisted).toEqual([]);
    const images = [...String(stdout).matchAll(/image: (integration-api.*)/g)].map(
      ([, tag]) => tag,
    );
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    expect(images).toEqual(Array.from({ length: 3 }, () => `integration-api:${version}`));
  });
});

describe('Prometheus', () => {
  const path = 'ops/prometheus';
  const scraped: Node = parse(readFileSync(`${path}/compose.yml`, 'utf8'));

  it('scrapes each instance of Compose over a common network', () => {
    const instances = servicesOf(productionFile).filter(([, one]) => one.environment?.OPS_PORT);
    const targets = instances.map(([name, { environment }]) => `${name}:${environment.OPS_PORT}`);
    expect(scraped.scrape_configs).toEqual([
      { job_name: 'integration-api', static_configs: [{ targets }] },
    ]);
    expect(targets).toHaveLength(2);
    const { prometheus } = composeOf(productionFile).services;
    for (const [, { networks }] of instances) {
      expect(networks).toEqual(expect.arrayContaining(prometheus.networks));
    }
    expect(prometheus.volumes).toContain('../alerts.yml:/etc/prometheus/alerts.yml:ro');
  });

  it('scrapes the pods and the port that Kubernetes runs', () => {
    const { scrape_configs: jobs }: Node = parse(readFileSync(`${path}/kubernetes.yml`, 'utf8'));
    expect(jobs.map(({ job_name: name }: Node) => name)).toEqual(['integration-api']);
    const kept = jobs[0].relabel_configs.filter(({ action }: Node) => action === 'keep');
    expect(kept.map(({ regex }: Node) => regex)).toEqual(['integration-api', 'operations']);
    for (const { spec } of deployments) {
      expect(spec.template.metadata.labels['app.kubernetes.io/name']).toBe('integration-api');
      const names = spec.template.spec.containers[0].ports.map(({ name }: Node) => name);
      expect(names).toContain('operations');
    }
  });

  const itIfPromtool = spawnSync('promtool', ['--version']).status === 0 ? it : it.skip;
  itIfPromtool.each(['compose.yml', 'kubernetes.yml'])('accepts %s', (file) => {
    cpSync(`${path}/${file}`, join(secretsFolder, file));
    cpSync('ops/alerts.yml', join(secretsFolder, 'alerts.yml'));
    const { status, stderr } = spawnSync('promtool', [
      'check',
      'config',
      join(secretsFolder, file),
    ]);
    expect([status, String(stderr)]).toEqual([0, '']);
  });
});

it('ops/compose forwards requests to both instances while they are ready', () => {
  const caddyfile = readFileSync('ops/compose/Caddyfile', 'utf8');
  const setting = (name: string) =>
    new RegExp(String.raw`^\s*${name} (.+)$`, 'm').exec(caddyfile)?.[1];
  const seconds = (name: string) => Number(/^(\d+)s$/.exec(setting(name) ?? '')?.[1]);
  const environment = readEnvironment(environmentOf(productionFile, 'api-1'));
  const { PORT, DRAIN_MS, TRUST_PROXY, IDLE_TIMEOUT_MS } = environment;
  expect(setting('reverse_proxy')).toBe(`api-1:${PORT} api-2:${PORT} {`);
  expect(setting('health_uri')).toBe(`/${basePath}/healthz`);
  expect(DRAIN_MS).toBeGreaterThan(
    (seconds('health_interval') + seconds('health_timeout')) * 1_000,
  );
  expect(IDLE_TIMEOUT_MS).toBeGreaterThan(seconds('keepalive') * 1_000);
  expect(TRUST_PROXY).toBe(1);
});

/**
 * Checks manifests with Kubernetes' own types for unknown, missing and wrongly typed fields. A server refuses such
 * fields or silently ignores unknown ones.
 */
function typeProblems(all: readonly Node[]): string[] {
  const lines = all.map((manifest, index) => {
    const type = `import('kubernetes-models/${manifest.apiVersion}').I${manifest.kind}`;
    return `export const manifest${index}: ${type} = ${JSON.stringify(manifest)};`;
  });
  // The compiler finds the types from this folder, because it is inside `node_modules`.
  const file = 'node_modules/.cache/manifests.mts';
  writeFileSync(file, lines.join('\n'));
  const program = ts.createProgram([file], {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    module: ts.ModuleKind.NodeNext,
  });
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}
