import { execFile } from 'node:child_process';
import { mkdtemp, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { mayReadEvents } from '../support/builders.js';
import { addDemoTenant } from '../support/demo-tenant.js';
import { documentedOperations } from '../support/operations.js';
import { basePath, sharedService } from '../support/shared-service.js';

interface Header {
  readonly key: string;
  readonly value: string;
}

interface Execution {
  readonly item: { readonly name: string };
  readonly request: {
    readonly method: string;
    readonly url: { readonly path: readonly string[] };
    readonly header: readonly Header[];
  };
  readonly response: { readonly code: number; readonly stream: { readonly data: number[] } };
}

interface Run {
  readonly failures: readonly { readonly error: object }[];
  readonly executions: readonly Execution[];
}

const run = promisify(execFile);
const newman = createRequire(import.meta.url).resolve('newman/bin/newman.js');
const service = sharedService();

async function runCollection(apiKey: string): Promise<Run> {
  const file = join(await mkdtemp(join(tmpdir(), 'postman-')), 'run.json');
  const args = ['run', `${service.url}/docs/collection.json`, '--env-var', `apiKey=${apiKey}`];
  const output = ['--reporters', 'json', '--reporter-json-export', file, '--suppress-exit-code'];
  await run(process.execPath, [newman, ...args, ...output]);
  return (JSON.parse(await readFile(file, 'utf8')) as { run: Run }).run;
}

const bodyOf = ({ response }: Execution): unknown => {
  const text = Buffer.from(response.stream.data).toString();
  return text === '' ? undefined : JSON.parse(text);
};
const pathOf = ({ request }: Execution) =>
  `/${request.url.path.join('/')}`.slice(basePath.length + 1);
const keysOf = ({ executions }: Run) =>
  executions.flatMap(({ request }) =>
    request.header.filter(({ key }) => key === 'idempotency-key').map(({ value }) => value),
  );

describe('the Postman collection', () => {
  it('succeeds as a whole, twice, with new ids and keys', async () => {
    const { key } = await addDemoTenant(service.db, service.databaseUri, { key: mayReadEvents });
    const runs = [await runCollection(key), await runCollection(key)];
    for (const { failures } of runs) expect(failures).toEqual([]);

    const operations = documentedOperations();
    const operationOf = (execution: Execution) => {
      const segments = pathOf(execution).split('/');
      const matching = operations.filter(({ method, path }) => {
        const parts = path.split('/');
        return (
          method === execution.request.method &&
          parts.length === segments.length &&
          parts.every((part, index) => part.startsWith('{') || part === segments[index])
        );
      });
      // A path such as /leads/batch also has the form of /leads/{recordSystemId}.
      return matching.find(({ path }) => !path.includes('{')) ?? matching[0];
    };
    for (const { executions } of runs) {
      const called = executions.map((execution) => {
        const operation = operationOf(execution);
        const { code } = execution.response;
        expect(code).toBeLessThan(300);
        expect([execution.item.name, operation?.statuses]).toEqual([
          execution.item.name,
          expect.arrayContaining([code]),
        ]);
        return operation?.name;
      });
      expect(new Set(called)).toEqual(new Set(operations.map(({ name }) => name)));
    }

    const ids = runs.map(({ executions }) => {
      const [created, ...later] = executions.filter((one) => pathOf(one).startsWith('/leads'));
      const { lead } = bodyOf(created as Execution) as { lead: { recordSystemId: string } };
      const read = later.filter((one) => pathOf(one) === `/leads/${lead.recordSystemId}`);
      expect(read.map(({ request }) => request.method)).toEqual(['GET', 'DELETE']);
      return lead.recordSystemId;
    });
    expect(new Set(ids).size).toBe(2);
    const keys = runs.flatMap(keysOf);
    expect(keys.length).toBeGreaterThan(20);
    expect(new Set(keys).size).toBe(keys.length);
  });
});
