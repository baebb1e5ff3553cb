import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import ts from 'typescript';
import { describe, expect, it } from '@jest/globals';
import { parse, parseAllDocuments } from 'yaml';
import { readEnvironment } from '../../src/core/configuration/load-environment.js';
import { variableNames } from '../../src/core/configuration/environment-variables.js';
import { livenessPath, readinessPath } from '../../src/operator/ops-listener/probe-paths.js';
import { basePath } from '../../src/core/http/requests/route-options.js';

/** Manifests are untyped here, because a test checks the types of all of them together. */
// oxlint-disable-next-line typescript/no-explicit-any -- the shapes are under test
type Node = any;

const kubernetes = 'ops/kubernetes';
const manifests: Node[] = readdirSync(kubernetes).flatMap((file) =>
  parseAllDocuments(readFileSync(`${kubernetes}/${file}`, 'utf8')).map((document): Node =>
    document.toJS(),
  ),
);
const manifestsOf = (kind: string): Node[] =>
  manifests.filter((manifest) => manifest.kind === kind);
const [configuration] = manifestsOf('ConfigMap');
const [secret] = manifestsOf('Secret');
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
    expect(envFrom).toEqual([
      { configMapRef: { name: configuration.metadata.name } },
      { secretRef: { name: secret.metadata.name } },
    ]);
    const own = Object.fromEntries(env.map(({ name, value }: Node) => [name, value]));
    const given = { ...configuration.data, ...secret.stringData, ...own };
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

describe.each([
  ['docker-compose.yml', ['api', 'database'], ['mongodb']],
  [
    'ops/compose/compose.yaml',
    ['api-1', 'api-2', 'database'],
    ['mongodb-1', 'mongodb-2', 'mongodb-3'],
  ],
])('%s', (file, services, members) => {
  it.each(services)('passes a valid configuration to %s', (name) => {
    const environment = environmentOf(file, name);
    expect(variableNames).toEqual(expect.arrayContaining(Object.keys(environment)));
    const { NODE_ENV, ENCRYPTION_KEYS, MONGODB_URI = '' } = readEnvironment(environment);
    expect(NODE_ENV).toBe('production');
    // A key in the file itself would be public.
    expect(ENCRYPTION_KEYS).toEqual([Buffer.alloc(32)]);
    for (const member of members) expect(MONGODB_URI).toContain(`${member}:27017`);
    expect(MONGODB_URI).toContain('/integration?replicaSet=rs0');
  });
});

/** Returns the variables of a service that Compose sets when only the required settings are given. */
function environmentOf(file: string, name: string): Record<string, string> {
  const compose: Node = parse(readFileSync(file, 'utf8'), { merge: true });
  const entries = Object.entries(compose.services[name].environment as Record<string, string>);
  return Object.fromEntries(
    entries.map(([variable, value]) => [
      variable,
      value.replace(/^\$\{\w+:\?.+\}$/, key).replace(/^\$\{\w+:-(.+)\}$/, '$1'),
    ]),
  );
}

it('ops/compose forwards requests to both instances while they are ready', () => {
  const caddyfile = readFileSync('ops/compose/Caddyfile', 'utf8');
  const setting = (name: string) =>
    new RegExp(String.raw`^\s*${name} (.+)$`, 'm').exec(caddyfile)?.[1];
  const seconds = (name: string) => Number(/^(\d+)s$/.exec(setting(name) ?? '')?.[1]);
  const environment = readEnvironment(environmentOf('ops/compose/compose.yaml', 'api-1'));
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
