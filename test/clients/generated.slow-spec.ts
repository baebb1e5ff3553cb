import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';

const run = promisify(execFile);

describe('what is made from the document for clients', () => {
  it('is what `npm run generate` would write now', async () => {
    const { stderr } = await run(process.execPath, ['scripts/generate-client.mjs', '--check']);
    expect(stderr).toBe('');
  });
});
