import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** What a run of the command line left behind. */
export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** One of several command lines that ran in the same process. */
export interface BatchOutcome {
  readonly args: readonly string[];
  readonly code: number;
  readonly text: string;
}

const compiled = join(process.cwd(), 'dist');

/** Runs the compiled command line; variables are its environment, none of this process's is. */
export function runCli(
  args: readonly string[],
  variables: Record<string, string> = {},
): Promise<Outcome> {
  return runNode([join(compiled, 'cli.js'), ...args], variables);
}

/** Runs a command with `--json` and gives what it printed; fails when it fails. */
export async function runJson<T>(
  args: readonly string[],
  variables: Record<string, string>,
): Promise<T> {
  const { code, stdout, stderr } = await runCli([...args, '--json'], variables);
  if (code !== 0 || stderr !== '') throw new Error(`${args.join(' ')}: ${code} ${stderr}`);
  return JSON.parse(stdout) as T;
}

/** Runs several command lines one after another in a single child process, without a database. */
export async function runBatch(calls: readonly (readonly string[])[]): Promise<BatchOutcome[]> {
  const program = pathToFileURL(join(compiled, 'operator', 'program.js')).href;
  const { stdout } = await runNode(
    ['--input-type=module', '--eval', batch(program), JSON.stringify(calls)],
    {},
  );
  return JSON.parse(stdout) as BatchOutcome[];
}

function batch(program: string): string {
  return `
    import { runCommandLine } from ${JSON.stringify(program)};
    const write = process.stdout.write.bind(process.stdout);
    const outcomes = [];
    for (const args of JSON.parse(process.argv[1])) {
      let text = '';
      process.stdout.write = process.stderr.write = (chunk) => (text += chunk) !== '';
      process.exitCode = 0;
      await runCommandLine(args);
      outcomes.push({ args, code: process.exitCode, text });
    }
    process.exitCode = 0;
    write(JSON.stringify(outcomes));
  `;
}

function runNode(args: readonly string[], variables: Record<string, string>): Promise<Outcome> {
  const { PATH = '', HOME = '' } = process.env;
  const env = { PATH, HOME, NODE_ENV: 'test', ...variables };
  return new Promise((resolve) => {
    // A folder without `.env`.
    const options = { env, cwd: tmpdir() };
    execFile(process.execPath, args, options, (error, stdout, stderr) => {
      const code = error === null ? 0 : error.code;
      resolve({ code: typeof code === 'number' ? code : -1, stdout, stderr });
    });
  });
}
