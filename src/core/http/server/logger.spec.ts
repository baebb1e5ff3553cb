import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';

const preamble = `
  const { createLogger } = await import('./dist/core/http/server/logger.js');
  const logger = createLogger({ LOG_LEVEL: 'info', NODE_ENV: 'production' });
`;

function run(code: string) {
  const args = ['--input-type=module', '-e', preamble + code];
  return spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Returns the JSON lines that a process running this code writes to standard output. */
async function logLinesOf(code: string): Promise<{ msg: string; time: string }[]> {
  const lines = (await text(run(code).stdout)).trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as { msg: string; time: string });
}

describe('the log on standard output', () => {
  it.each([
    ['keeps running', `setTimeout(() => logger.info('last'), 5);`],
    ['exits immediately', `logger.info('last'); process.exit();`],
    ['crashes', `logger.info('last'); throw new Error();`],
    [
      'exits in its uncaughtException handler',
      `logger.info('last'); process.on('uncaughtException', () => process.exit()); throw new Error();`,
    ],
  ])('is complete and in order when the process %s', async (_, end) => {
    const lines = await logLinesOf(
      `for (let line = 0; line < 2_000; line++) logger.info(String(line)); ${end}`,
    );
    const numbers = Array.from({ length: 2_000 }, (_value, line) => String(line));
    expect(lines.map(({ msg }) => msg)).toEqual([...numbers, 'last']);
    for (const { time } of lines) expect(new Date(time).toISOString()).toBe(time);
  });

  it('does not keep the process running when nobody reads it', async () => {
    const lines = `for (let line = 0; line < 5_000; line++) logger.info('x'.repeat(1_000));`;
    const child = run(`${lines} setTimeout(() => process.exit(7), 5);`);
    expect(await once(child, 'exit')).toEqual([7, null]);
    child.stdout.destroy();
  });

  it('does not crash the process when its reader closes the pipe', async () => {
    const child = run(`
      process.on('SIGUSR2', () => { logger.info('lost'); setTimeout(() => process.exit(7), 5); });
      setInterval(() => undefined, 1_000);
      logger.info('first');
    `);
    await once(child.stdout, 'data');
    child.stdout.destroy();
    await once(child.stdout, 'close');
    child.kill('SIGUSR2');
    expect(await once(child, 'exit')).toEqual([7, null]);
  });
});
