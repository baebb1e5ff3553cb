import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readEnvironment } from '../../src/core/configuration/load-environment.js';
import {
  hashPassword,
  isPassword,
  parsePasswordHash,
} from '../../src/core/values/password-hash.js';
import { password } from './console-client.js';

/** The output of the command for a password on its standard input. */
const printedFor = (input: string) =>
  new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
    const args = [join(process.cwd(), 'dist/cli.js'), 'console', 'password'];
    const child = execFile(process.execPath, args, (error, stdout, stderr) => {
      resolve({ code: error?.code ?? 0, stdout, stderr });
    });
    child.stdin?.end(`${input}\n`);
  });

describe('OPS_PASSWORD', () => {
  it('accepts the line that `console password` prints for a valid password', async () => {
    const hash = await hashPassword(password);
    expect(readEnvironment({ OPS_PASSWORD: hash }).OPS_PASSWORD).toMatchObject({
      factors: { cost: 32_768 },
    });
    expect(hash).not.toMatch(/[$"'\s]/);
    const { stdout, ...printed } = await printedFor('long enough, I hope');
    expect(printed).toEqual({ code: 0, stderr: '' });
    const stored = parsePasswordHash(stdout);
    expect(stored !== null && (await isPassword('long enough, I hope', stored))).toBe(true);
    expect(await printedFor('too short')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'The password must have 12 to 256 characters.\n',
    });
  });
});
