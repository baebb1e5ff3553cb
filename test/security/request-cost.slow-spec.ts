import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { documentedOperations, jsonWith, type Operation } from '../support/operations.js';
import { rounds } from '../support/rounds.js';
import { type ServiceProcess, startProcess } from '../support/service-process.js';
import { basePath, sharedService } from '../support/shared-service.js';
import type { TenantApi } from '../support/tenant-api.js';

/** The default of BODY_LIMIT_BYTES. */
const maxBodyBytes = 1_048_576;
/** Linux counts CPU time in ticks; garbage collection and compilation add noise. */
const [tickMs, noiseMs] = [10, 250];
const maxRefusalBytes = 64 * 1_024;

const shared = sharedService();
let tenant: TenantApi;
let service: ServiceProcess;

beforeAll(async () => {
  tenant = await shared.addTenant();
  service = await startProcess({ MONGODB_URI: shared.databaseUri, ROLE: 'api' });
});
afterAll(() => {
  service.process.kill('SIGKILL');
});

const operations = documentedOperations().filter(({ hasBody }) => hasBody);

/** Returns JSON values of about this many bytes. */
const values: Readonly<Record<string, (bytes: number) => string>> = {
  'an integer': (bytes) => '9'.repeat(bytes),
  'a fraction of zeros': (bytes) => `1.${'0'.repeat(bytes)}1`,
  'an exponent': (bytes) => `1e-${'0'.repeat(bytes)}1`,
  'a string of digits': (bytes) => `"${'1'.repeat(bytes)}"`,
  'a string of blanks': (bytes) => `"a${' '.repeat(bytes)}a"`,
  'a string of signs': (bytes) => `"${'@.-+\\\\'.repeat(bytes / 6)}"`,
  'a string of accents': (bytes) => `"${'\u0300\u0323'.repeat(bytes / 4)}"`,
  'an email': (bytes) => `"${'a.'.repeat(bytes / 4)}a@${'a.'.repeat(bytes / 4)}aa"`,
  'a string of escapes': (bytes) => `"${String.raw`\u0007`.repeat(bytes / 6)}"`,
  'a key': (bytes) => `{"${'k'.repeat(bytes)}":1}`,
  'many keys': (bytes) =>
    `{${Array.from({ length: bytes / 10 }, (_, key) => `"${key}":0`).join()}}`,
  'an object that is deep': (bytes) => `${'{"a":'.repeat(bytes / 6)}1${'}'.repeat(bytes / 6)}`,
  'a list that is deep': (bytes) => `${'['.repeat(bytes / 2)}${']'.repeat(bytes / 2)}`,
  'a list of strings': (bytes) => list('""', bytes),
  'a list of objects': (bytes) => list('{}', bytes),
};

function list(item: string, bytes: number): string {
  return `[${Array.from({ length: bytes / (item.length + 1) }, () => item).join()}]`;
}

interface Cost {
  readonly milliseconds: number;
  readonly status: number;
  readonly bytes: number;
}

/** Measures the CPU time that the service needs for a request. */
async function measureCost({ method, path }: Operation, body: Buffer<ArrayBuffer>): Promise<Cost> {
  const before = processorMs();
  const response = await fetch(`${service.url}/${basePath}${path}`, {
    method,
    headers: { 'api-key': tenant.key, 'content-type': 'application/json' },
    body,
  });
  const { length: bytes } = Buffer.from(await response.arrayBuffer());
  return { milliseconds: processorMs() - before, status: response.status, bytes };
}

/** Returns the maximum CPU time for twice the bytes. */
const maxMsFor = (half: number) => 3 * half + noiseMs;

/** Returns the least CPU time of each body in up to four attempts, because other work adds to it. */
async function leastCosts(
  operation: Operation,
  bodies: readonly Buffer<ArrayBuffer>[],
): Promise<{ readonly half: number; readonly whole: number }> {
  const least = bodies.map(() => Infinity);
  for (let attempt = 1; ; attempt++) {
    for (const [index, body] of bodies.entries()) {
      const [{ milliseconds, status, bytes }] = await Promise.all([
        measureCost(operation, body),
        expectHealth(),
      ]);
      expect(status).toBeLessThan(500);
      if (status >= 400) expect(bytes).toBeLessThanOrEqual(maxRefusalBytes);
      least[index] = Math.min(least[index] ?? 0, milliseconds);
    }
    const [half = 0, whole = 0] = least;
    if (whole <= maxMsFor(half) || attempt === 4) return { half, whole };
  }
}

/** Expects that the service still responds to other requests. */
async function expectHealth(): Promise<void> {
  const signal = AbortSignal.timeout(5_000);
  const response = await fetch(`${service.url}/${basePath}/healthz`, { signal });
  expect(response.status).toBe(200);
}

function processorMs(): number {
  const stat = readFileSync(`/proc/${service.process.pid}/stat`, 'utf8');
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13);
  return (Number(user) + Number(system)) * tickMs;
}

const cases = operations.flatMap((operation) =>
  operation.positions
    .filter(({ place }) => place === 'body')
    .flatMap(({ steps }) => Object.keys(values).map((kind) => ({ operation, steps, kind }))),
);
/** Prime steps, so that the selection contains each position and each kind. */
const chosen = cases.filter((_, index) => index % rounds(23, 7) === 0);

describe(`a body of the maximum size (${chosen.length} cases)`, () => {
  it.each(operations.map((operation) => [operation.name, operation] as const))(
    'is handled by %s in time proportional to its size, with a short response if refused',
    async (_name, operation) => {
      for (const { steps, kind } of chosen.filter((one) => one.operation === operation)) {
        const write = values[kind] as (bytes: number) => string;
        const bodies = [1, 2].map((halves) =>
          jsonWith(operation.exampleBody, steps, write((halves * (maxBodyBytes - 2_000)) / 2)),
        );
        const { half, whole } = await leastCosts(operation, bodies);
        expect([steps.join('.'), kind, Math.max(whole, maxMsFor(half))]).toEqual([
          steps.join('.'),
          kind,
          maxMsFor(half),
        ]);
      }
    },
  );
});
