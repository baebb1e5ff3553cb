import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';

const run = promisify(execFile);

describe('the generated client', () => {
  it('equals the output of `npm run generate`', async () => {
    const { stderr } = await run(process.execPath, ['scripts/generate-client.mjs', '--check']);
    expect(stderr).toBe('');
  });
});
