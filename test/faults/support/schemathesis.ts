import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { access, mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../../..');
const folder = join(root, 'test/faults/schemathesis');
const requirements = join(folder, 'requirements.txt');

/** What a run of Schemathesis sent, was told and found. */
export interface SchemathesisReport {
  readonly requests: number;
  readonly statuses: Readonly<Record<string, number>>;
  /** 0 when no check failed. */
  readonly exitCode: number | null;
  /** Its report for people. */
  readonly output: string;
}

/**
 * Installs Schemathesis in the version of requirements.txt, once for each content of it.
 *
 * @returns its folder, or why it cannot be installed on this machine
 */
export async function installSchemathesis(): Promise<{ folder: string } | { reason: string }> {
  const version = createHash('sha256')
    .update(await readFile(requirements))
    .digest('hex');
  const installed = join(root, 'node_modules/.cache/schemathesis', version.slice(0, 12));
  try {
    await access(join(installed, 'complete'));
    return { folder: installed };
  } catch {
    // It is not there yet.
  }
  try {
    await run('python3', ['-m', 'venv', '--clear', installed]);
    const pip = ['-m', 'pip', 'install', '--quiet', '--requirement', requirements];
    await run(join(installed, 'bin/python'), pip);
    await run('touch', [join(installed, 'complete')]);
    return { folder: installed };
  } catch (error) {
    return { reason: `Python or its packages are not there: ${(error as Error).message}` };
  }
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
