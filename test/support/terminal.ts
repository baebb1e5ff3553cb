import { spawn } from 'node:child_process';
import { once } from 'node:events';

export interface Terminal {
  /** Resolves with the exit code and the whole output. */
  readonly ended: Promise<{ readonly code: number | null; readonly output: string }>;
  /** Resolves with the match as soon as the output from this offset matches the pattern. */
  untilShown(pattern: RegExp, from?: number): Promise<RegExpExecArray>;
  output(): string;
  type(keys: string): void;
  end(): void;
}

export const ctrlC = '\u0003';

/** Node cannot open pseudo-terminals, but Python's standard library can. */
const onTerminal =
  'import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))';

/** Runs a command on its own pseudo-terminal, with these variables as its whole environment. */
export function openTerminal(
  command: readonly string[],
  options: { readonly env: Record<string, string>; readonly cwd: string },
): Terminal {
  const child = spawn('python3', ['-c', onTerminal, ...command], options);
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, output }));
  return {
    ended,
    output: () => output,
    untilShown: async (pattern, from = 0) => {
      for (;;) {
        const match = pattern.exec(output.slice(from));
        if (match !== null) return match;
        await Promise.race([once(child.stdout, 'data'), ended.then(() => throwEnded(output))]);
      }
    },
    type: (keys) => child.stdin.write(keys),
    end: () => void child.kill(),
  };
}

function throwEnded(output: string): never {
  throw new Error(`The command ended: ${output}`);
}
