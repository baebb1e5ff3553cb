import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installPythonPackages } from './python-packages.js';

const root = join(import.meta.dirname, '../../..');
const folder = join(root, 'test/faults/schemathesis');

export interface SchemathesisReport {
  readonly requests: number;
  readonly statuses: Readonly<Record<string, number>>;
  /** 0 when no check failed. */
  readonly exitCode: number | null;
  /** Its report for people. */
  readonly output: string;
}

/** Installs Schemathesis in the version of requirements.txt. */
export function installSchemathesis(): ReturnType<typeof installPythonPackages> {
  return installPythonPackages(join(folder, 'requirements.txt'));
}

/** Runs all checks against the service at an address, with its own document. */
export async function runSchemathesis(
  installed: string,
  {
    url,
    apiKey,
    seed,
    maxExamples,
  }: { url: string; apiKey: string; seed: number; maxExamples: number },
): Promise<SchemathesisReport> {
  const counts = join(await mkdtemp(join(tmpdir(), 'schemathesis-')), 'counts.json');
  const child = spawn(
    join(installed, 'bin/schemathesis'),
    [
      `--config-file=${join(folder, 'schemathesis.toml')}`,
      'run',
      `${url}/docs/openapi.json`,
      `--header=api-key: ${apiKey}`,
      `--max-examples=${maxExamples}`,
      `--seed=${seed}`,
      '--no-color',
    ],
    {
      cwd: root,
      env: {
        ...process.env,
        SERVICE_URL: url,
        SERVICE_KEY: apiKey,
        COUNTS_FILE: counts,
        FAULT_SEED: String(seed),
        PYTHONDONTWRITEBYTECODE: '1',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  const [exitCode] = (await once(child, 'close')) as [number | null];
  const told = await readFile(counts, 'utf8').catch(() => '{"requests":0,"statuses":{}}');
  return {
    ...(JSON.parse(told) as Pick<SchemathesisReport, 'requests' | 'statuses'>),
    exitCode,
    output,
  };
}
