import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { addTenant } from '../support/builders.js';
import { sharedService } from '../support/shared-service.js';
import { runCli } from './command-line.js';

const service = sharedService();
const missing = join(tmpdir(), 'there-is-no-such-file');

describe('a command with a file', () => {
  it.each([
    ['catalog', 'import'],
    ['lead', 'import'],
    ['reservation', 'reconcile'],
    ['db', 'reapply-erasures', '--ledger'],
  ])('%s %s rejects a missing file and a folder', async (...command) => {
    const { organizationId } = await addTenant(service.db);
    const org = command.includes('db') ? [] : ['--org', organizationId.toHexString()];
    const errorOf = async (path: string) => {
      const args = [...command, path, ...org];
      const { code, stdout, stderr } = await runCli(args, { MONGODB_URI: service.databaseUri });
      expect([code, stdout]).toEqual([1, '']);
      return stderr;
    };
    expect(await errorOf(missing)).toBe(
      `The file ${missing} cannot be read: no such file or directory.\n`,
    );
    expect(await errorOf(tmpdir())).toBe(`The file ${tmpdir()} cannot be read: it is a folder.\n`);
  });
});
