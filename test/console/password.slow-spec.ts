import { execFile } from 'node:child_process';
import { expect, it } from '@jest/globals';
import { readEnvironment } from '../../src/core/configuration/load-environment.js';
import { isPassword } from '../../src/core/values/password-hash.js';

/** Runs `console password` with this standard input. */
const printedFor = (input: string) =>
  new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
    const args = ['dist/cli.js', 'console', 'password'];
    const child = execFile(process.execPath, args, (error, stdout, stderr) => {
      resolve({ code: error?.code ?? 0, stdout, stderr });
    });
    child.stdin?.end(`${input}\n`);
  });

it('OPS_PASSWORD accepts the line that `console password` prints for a valid password', async () => {
  const { stdout, ...printed } = await printedFor('long enough, I hope');
  expect(printed).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^[^$"'\s]+\n$/);
  const { OPS_PASSWORD: stored } = readEnvironment({ OPS_PASSWORD: stdout.trimEnd() });
  expect(stored).toMatchObject({ factors: { cost: 32_768 } });
  expect(stored !== undefined && (await isPassword('long enough, I hope', stored))).toBe(true);
  const stderr = 'The password must have 12 to 256 characters.\n';
  expect(await printedFor('too short')).toEqual({ code: 1, stdout: '', stderr });
});
