import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parse, parseAllDocuments } from 'yaml';
import { readEnvironment, variableNames } from '../../src/core/configuration/environment.js';
import { livenessPath, readinessPath } from '../../src/operator/operations/operations-server.js';
import { basePath } from '../../src/core/http/base-path.js';
import { typeProblems } from './kubernetes-types.js';

/** Any node of a file, once its types were checked as a whole. */
// oxlint-disable-next-line typescript/no-explicit-any -- the shapes are what is tested
type Node = any;

const kubernetes = 'ops/kubernetes';
const manifests: Node[] = readdirSync(kubernetes).flatMap((file) =>
  parseAllDocuments(readFileSync(`${kubernetes}/${file}`, 'utf8')).map((document): Node =>
    document.toJS(),
  ),
);
const ofKind = (kind: string): Node[] => manifests.filter((manifest) => manifest.kind === kind);
const [configuration] = ofKind('ConfigMap');
const [secret] = ofKind('Secret');
const deployments = ofKind('Deployment');
const templates = [...deployments, ...ofKind('Job')].map(({ metadata, spec }) => ({
  name: metadata.name as string,
  ...spec.template,
}));
const key = Buffer.alloc(32).toString('base64');
const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
/** Within what time a process ends after a signal. */
const shutdownSeconds = 10;

describe('manifests of Kubernetes', () => {
  it('have the fields that their kinds have, and no others', () => {
    const faulty = [{ replica: 2 }, { selector: undefined }, { replicas: '2' }].map((change) => ({
      ...deployments[0],
      spec: { ...deployments[0].spec, ...change },
    }));
    // The problems of those that are wrong on purpose, and of no other.
    expect(typeProblems([...manifests, ...faulty])).toEqual([
      expect.stringContaining(`'"replica"' does not exist`),
      expect.stringContaining(`'"selector"' is missing`),
      expect.stringContaining("Type 'string' is not assignable to type 'number'"),
    ]);
  });

  it('are of these kinds', () => {
    expect(manifests.map(({ kind }) => kind).toSorted()).toEqual([
      'ConfigMap',
      'Deployment',
      'Deployment',
      'HorizontalPodAutoscaler',
      'Ingress',
      'Job',
      'NetworkPolicy',
      'PodDisruptionBudget',
      'PodDisruptionBudget',
      'Secret',
      'Service',
    ]);
  });

  it.each(templates)('give $name a configuration that it accepts', ({ spec }) => {
    const [{ env = [], envFrom }] = spec.containers;
    expect(envFrom).toEqual([
      { configMapRef: { name: configuration.metadata.name } },
      { secretRef: { name: secret.metadata.name } },
    ]);
    const own = Object.fromEntries(env.map(({ name, value }: Node) => [name, value]));
    const given = { ...configuration.data, ...secret.stringData, ...own };
    expect(variableNames).toEqual(expect.arrayContaining(Object.keys(given)));
    expect(readEnvironment({ ...given, ENCRYPTION_KEYS: key }).NODE_ENV).toBe('production');
    // The example must not come into use as it is.
    expect(() => readEnvironment(given)).toThrow('ENCRYPTION_KEYS: must be keys');
  });

  it.each(templates)('run $name as the user of the image, without rights', ({ spec }) => {
    const [container, ...others] = spec.containers;
    expect(others).toEqual([]);
    expect(container.image).toBe(`integration-api:${version}`);
    expect(readFileSync('Dockerfile', 'utf8')).toMatch(/^USER node$/m);
    // The number of that user in the official images of Node.
    expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(spec.automountServiceAccountToken).toBe(false);
  });

  it.each(deployments)('ask the processes of $metadata.name where they answer', ({ spec }) => {
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
    // A database that does not respond takes two seconds to find out.
    expect(readinessProbe.timeoutSeconds).toBeGreaterThan(2);
  });

  it.each(deployments)('let $metadata.name drain before it is killed', ({ spec }) => {
    const { strategy, template } = spec;
    expect(strategy.rollingUpdate).toEqual({ maxSurge: 1, maxUnavailable: 0 });
    expect(template.spec.terminationGracePeriodSeconds).toBeGreaterThan(shutdownSeconds);
    const { periodSeconds, failureThreshold } = template.spec.containers[0].readinessProbe;
    expect(Number(configuration.data.DRAIN_MS)).toBeGreaterThan(
      periodSeconds * failureThreshold * 1_000,
    );
  });

  it('prepare the database with the command of the image', () => {
    const [job] = ofKind('Job');
    expect(job.spec.template.spec.containers[0].command).toEqual([
      'node',
      'dist/cli.js',
      'db',
      'init',
    ]);
  });

  it('name each other', () => {
    const labels = new Map(templates.map(({ name, metadata }) => [name, metadata.labels]));
    for (const { metadata, spec } of [...deployments, ...ofKind('PodDisruptionBudget')]) {
      expect(spec.selector.matchLabels).toEqual(labels.get(metadata.name));
    }
    const [service] = ofKind('Service');
    expect(service.spec.selector).toEqual(labels.get('integration-api-api'));
    expect(service.spec.ports).toEqual([{ name: 'http', port: 80, targetPort: 'http' }]);
    const [autoscaler] = ofKind('HorizontalPodAutoscaler');
    expect(autoscaler.spec.scaleTargetRef.name).toBe('integration-api-api');
    const [ingress] = ofKind('Ingress');
    const [rule] = ingress.spec.rules;
    expect(rule.http.paths[0].backend.service).toEqual({
      name: service.metadata.name,
      port: { name: 'http' },
    });
    const [policy] = ofKind('NetworkPolicy');
    for (const podLabels of labels.values()) {
      expect(podLabels).toMatchObject(policy.spec.podSelector.matchLabels);
    }
  });
});

describe('ops/compose', () => {
  const compose: Node = parse(readFileSync('ops/compose/compose.yaml', 'utf8'), { merge: true });
  const caddyfile = readFileSync('ops/compose/Caddyfile', 'utf8');
  const instances = ['api-1', 'api-2'];
  const members = ['mongodb-1', 'mongodb-2', 'mongodb-3'];
  const setting = (name: string) =>
    new RegExp(String.raw`^\s*${name} (.+)$`, 'm').exec(caddyfile)?.[1];
  const seconds = (name: string) => Number(/^(\d+)s$/.exec(setting(name) ?? '')?.[1]);
  /** As Compose fills it in when nothing but what is required is set. */
  const environmentOf = (name: string): Record<string, string> => {
    const entries = Object.entries(compose.services[name].environment as Record<string, string>);
    return Object.fromEntries(
      entries.map(([variable, value]) => [
        variable,
        value.replace(/^\$\{\w+:\?.+\}$/, key).replace(/^\$\{\w+:-(.+)\}$/, '$1'),
      ]),
    );
  };

  it.each([...instances, 'database'])('gives %s a configuration that it accepts', (name) => {
    const environment = environmentOf(name);
    expect(variableNames).toEqual(expect.arrayContaining(Object.keys(environment)));
    const { MONGODB_URI = '', NODE_ENV } = readEnvironment(environment);
    expect(NODE_ENV).toBe('production');
    for (const member of members) expect(MONGODB_URI).toContain(`${member}:27017`);
    expect(MONGODB_URI).toContain('/integration?replicaSet=rs0');
  });

  it('publishes nothing but the proxy, and the console for the machine alone', () => {
    const { proxy, ...others } = compose.services;
    expect(proxy.ports).toEqual(['80:80', '443:443', '443:443/udp']);
    const { OPS_PORT } = others['api-1'].environment;
    expect(Object.values(others).flatMap((service: Node) => service.ports ?? [])).toEqual([
      `127.0.0.1:${OPS_PORT}:${OPS_PORT}`,
    ]);
    expect(compose.networks.database).toEqual({ internal: true });
    for (const member of members) expect(compose.services[member].networks).toEqual(['database']);
  });

  it('passes requests on to both instances while they accept them', () => {
    const { PORT, DRAIN_MS, TRUST_PROXY, IDLE_TIMEOUT_MS } = readEnvironment(
      environmentOf('api-1'),
    );
    expect(setting('reverse_proxy')).toBe(
      `${instances.map((name) => `${name}:${PORT}`).join(' ')} {`,
    );
    expect(setting('health_uri')).toBe(`/${basePath}/healthz`);
    expect(DRAIN_MS).toBeGreaterThan(
      (seconds('health_interval') + seconds('health_timeout')) * 1_000,
    );
    expect(IDLE_TIMEOUT_MS).toBeGreaterThan(seconds('keepalive') * 1_000);
    expect(TRUST_PROXY).toBe(1);
  });

  it('starts them after the database is prepared, and lets them drain', () => {
    for (const name of instances) {
      const { depends_on, stop_grace_period, command } = compose.services[name];
      expect(depends_on).toEqual({ database: { condition: 'service_completed_successfully' } });
      expect(Number.parseInt(stop_grace_period, 10)).toBeGreaterThan(shutdownSeconds);
      expect(command).toBeUndefined();
    }
    const { database } = compose.services;
    expect(database.command).toEqual(['node', 'dist/cli.js', 'db', 'init']);
    expect(Object.keys(database.depends_on)).toEqual(members);
  });

  it('keeps the data of three members of a set that makes itself', () => {
    for (const member of members) {
      const { image, command, volumes } = compose.services[member];
      expect([image, volumes]).toEqual(['mongo:8.0', [`${member}:/data/db`]]);
      expect(command).toEqual(expect.arrayContaining(['--replSet', 'rs0']));
      expect(compose.volumes).toHaveProperty([member]);
    }
    const script = compose.services['mongodb-1'].healthcheck.test.at(-1) as string;
    expect(script).toContain('rs.initiate(');
    // Compose reads a dollar as a variable unless it is doubled.
    expect(script).toMatch(/`mongodb-\$\$\{number\}:27017`/);
  });
});
