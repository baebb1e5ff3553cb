import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { report } from './random.js';

const run = promisify(execFile);
const version = '7.25.0';
const sha256 = '41ce4f6b07f196676439d710759fa1ced7a08066d06ff1bf314681470289efae';
const name = `openapi-generator-cli-${version}.jar`;
const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'integration-api');

/**
 * Fetches openapi-generator with Maven, once for each user.
 *
 * @returns the path of its jar, or undefined without Java or Maven, or if it cannot be fetched, which is reported
 */
export async function fetchOpenApiGenerator(): Promise<string | undefined> {
  const jar = join(cache, name);
  try {
    await run('java', ['-version']);
    if (!existsSync(jar)) await fetchJar(jar);
    return jar;
  } catch (error) {
    report(`Skipped: openapi-generator cannot run: ${(error as Error).message}`);
    return undefined;
  }
}

async function fetchJar(jar: string): Promise<void> {
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, 'fetch-'));
  try {
    await run('mvn', [
      '--batch-mode',
      '--quiet',
      'dependency:copy',
      `-Dartifact=org.openapitools:openapi-generator-cli:${version}`,
      `-DoutputDirectory=${folder}`,
    ]);
    const digest = createHash('sha256').update(await readFile(join(folder, name)));
    if (digest.digest('hex') !== sha256) throw new Error(`${name} has an unexpected SHA-256`);
    await rename(join(folder, name), jar);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** @returns what the generator printed */
export async function generateClient(
  jar: string,
  generator: string,
  document: string,
  output: string,
): Promise<string> {
  const parts = ['apiTests', 'modelTests', 'apiDocs', 'modelDocs'];
  const { stdout, stderr } = await run('java', [
    '-jar',
    jar,
    'generate',
    `--generator-name=${generator}`,
    `--input-spec=${document}`,
    `--output=${output}`,
    `--global-property=${parts.map((part) => `${part}=false`).join()}`,
  ]);
  return stdout + stderr;
}
