import { execFile } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import type { RecordedOperation } from './recorded-clients.js';

const run = promisify(execFile);
const sources = join(import.meta.dirname, '../linearizability');
const cache = join(import.meta.dirname, '../../../node_modules/.cache/linearizability');
const checker = join(cache, 'linearizability');

export interface HistoryReport {
  readonly operations: number;
  readonly keys: number;
  /** Keys whose history cannot have come from one operation after the other. */
  readonly illegal: readonly string[];
  /** Keys for which a minute was not enough. */
  readonly undecided: readonly string[];
}

/**
 * Builds the checker of histories.
 *
 * @returns why it cannot be built on this machine, undefined when it is
 * @throws Error when it is the checker's own fault
 */
export async function buildChecker(): Promise<string | undefined> {
  await mkdir(cache, { recursive: true });
  try {
    await run('go', ['mod', 'download'], { cwd: sources });
  } catch (error) {
    return `Go or the module of its checker is not there: ${(error as Error).message}`;
  }
  await run('go', ['build', '-o', checker, '.'], { cwd: sources });
  return undefined;
}

/** Checks recorded histories for linearizability; writes pictures of violations and names their folder. */
export async function checkHistories(
  operations: readonly RecordedOperation[],
): Promise<HistoryReport & { readonly pictures: string }> {
  const pictures = await mkdtemp(join(tmpdir(), 'histories-'));
  const file = join(pictures, 'history.ndjson');
  const lines = function* () {
    for (const operation of operations) yield `${JSON.stringify(operation)}\n`;
  };
  await pipeline(Readable.from(lines()), createWriteStream(file));
  const { stdout } = await run(checker, [file, pictures]);
  return { ...(JSON.parse(stdout) as HistoryReport), pictures };
}
