// Runs commands that do not depend on each other at the same time, and says of each that fails what
// to do about it.
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import PQueue from 'p-queue';

/**
 * Runs all steps, so many at a time, and prints what they print only where one fails.
 *
 * @returns the names of the failed steps
 */
export async function runSideBySide(steps, atOnce, print) {
  const queue = new PQueue({ concurrency: atOnce });
  const failed = [];
  const runStep = async ({ name, command, remedy }) => {
    const startedAt = performance.now();
    const { code, output } = await run(command);
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
    if (code === 0) return print(`passed  ${name} (${seconds} s)\n`);
    failed.push(name);
    return print(
      `\nFAILED  ${name} (${seconds} s): ${command}\n${output}\nWhat to do: ${remedy}\n\n`,
    );
  };
  await queue.addAll(steps.map((step) => () => runStep(step)));
  return failed;
}

async function run(command) {
  const child = spawn(command, { shell: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise((resolve) => child.on('close', resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await ended, output: `${stdout}${stderr}`.trim() };
}
