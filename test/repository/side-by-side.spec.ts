import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { runSideBySide } from '../../scripts/side-by-side.mjs';

it('steps run side by side; one that fails is named with what it printed and what to do', async () => {
  const printed: string[] = [];
  const others = join(mkdtempSync(join(tmpdir(), 'check-')), 'are done');
  const waiting = `until [ -e '${others}' ]; do sleep 0.05; done; echo quiet`;
  const steps = [
    { name: 'waits', command: waiting, remedy: 'none' },
    { name: 'fails', command: 'echo out; echo err >&2; exit 3', remedy: 'mend it.' },
    { name: 'passes', command: 'true', remedy: 'none' },
  ];
  const failed = await runSideBySide(steps, 2, (text) => {
    printed.push(text);
    if (text.includes('passes')) writeFileSync(others, '');
  });
  expect(failed).toEqual(['fails']);
  expect(printed.join('')).toMatch(/^FAILED {2}fails .*\nout\nerr\nWhat to do: mend it\.\n/m);
  expect(printed.join('')).not.toContain('quiet');
  // What takes long holds nothing up.
  expect(printed.map((text) => text.trim().split(' ')[2])).toEqual(['fails', 'passes', 'waits']);
});
