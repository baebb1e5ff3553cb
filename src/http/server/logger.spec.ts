import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';

const run = promisify(execFile);
const preamble = `
  const { createLogger } = await import('./dist/http/server/logger.js');
  const logger = createLogger({ LOG_LEVEL: 'info', NODE_ENV: 'production' });
`;

/** What a process that runs this code has written to its standard output, line by line. */
async function written(code: string): Promise<{ msg: string; time: string }[]> {
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', preamble + code]);
  const lines = stdout.trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as { msg: string; time: string });
}

describe('the log on standard output', () => {
  it.each([
    ['goes on', `setTimeout(() => logger.info('last'), 5);`],
    ['ends itself at once', `logger.info('last'); process.exit();`],
    [
      'fails',
      `logger.info('last'); process.on('uncaughtException', () => process.exit()); throw new Error();`,
    ],
  ])('is complete and in order when the process %s', async (_, end) => {
    const lines = await written(
      `for (let line = 0; line < 2_000; line++) logger.info(String(line)); ${end}`,
    );
    const numbers = Array.from({ length: 2_000 }, (_value, line) => String(line));
    expect(lines.map(({ msg }) => msg)).toEqual([...numbers, 'last']);
    for (const { time } of lines) expect(new Date(time).toISOString()).toBe(time);
  });
});
