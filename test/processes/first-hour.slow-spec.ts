import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { cloneSources } from '../support/clone.js';
import {
  canRunShell,
  openShell,
  plainText,
  type Shell,
  shellBlocks,
  shells,
} from '../support/shell-blocks.js';
import { ctrlC } from '../support/terminal.js';

const blocks = shellBlocks('README.md').map(({ text }) => text);
const blockWith = (part: string) => blocks.find((text) => text.includes(part)) ?? '';
const mistaken = /command not found|no matches|parse error|syntax error|no such file|^error/im;

describe.each(Object.keys(shells) as Shell[])(
  'the blocks of the README, pasted into %s,',
  (shell) => {
    const itIfInstalled = canRunShell(shell) ? it : it.skip;

    itIfInstalled('lead from the first start to the console', async () => {
      const clone = await cloneSources();
      await symlink(join(process.cwd(), 'node_modules'), join(clone, 'node_modules'));
      // The packages are installed already, and everything else is npm's own.
      const programs = join(clone, 'node_modules.test');
      await mkdir(programs);
      const path = (process.env['PATH'] ?? '').split(delimiter);
      const npm = `#!/bin/sh\n[ "$1" = ci ] && exit 0\nPATH='${path.join(delimiter)}'\nexec npm "$@"\n`;
      await writeFile(join(programs, 'npm'), npm, { mode: 0o755 });
      const env = {
        PATH: [programs, ...path].join(delimiter),
        HOME: process.env['HOME'] ?? '',
        TERM: 'xterm',
        PORT: '0',
        npm_config_update_notifier: 'false',
      };
      const options = { env, cwd: clone };
      const [first, second] = await Promise.all([
        openShell(shell, options),
        openShell(shell, options),
      ]);
      try {
        let from = first.paste(blockWith('npm ci'));
        await first.untilShown(/^ {2}-d '.*'\r?$/m, from);
        const [curl = ''] = /^curl [^]*?^ {2}-d '.*'$/m.exec(plainText(first.output())) ?? [];
        from = second.paste(curl);
        await second.untilShown(/"operation":"create"/, from);
        from = second.paste('npm run demo');
        await second.untilShown(/^All \d+ operations responded/m, from);

        from = second.paste(blockWith('org create'));
        await second.untilShown(/^Usage: npm run cli/m, from);
        const shown = plainText(second.output().slice(from));
        expect(shown).toMatch(/iapi_\w+[^]*whsec_\w+/);
        expect(shown).not.toMatch(mistaken);

        const [, url = ''] = /^Console +(http:\S+)/m.exec(plainText(first.output())) ?? [];
        expect((await fetch(url)).status).toBe(200);
        expect(plainText(first.output())).not.toMatch(mistaken);
        from = first.output().length;
        first.type(ctrlC);
        await first.untilShown(/Stopped\.\r?$/m, from);
      } finally {
        first.end();
        second.end();
        await rm(clone, { recursive: true, force: true });
      }
    });
  },
);
