import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, it } from '@jest/globals';
import {
  canRunShell,
  openShell,
  plainText,
  type Shell,
  shellBlocks,
  shells,
} from '../support/shell-blocks.js';

const blocks = shellBlocks();
const faulty = (isFaulty: (text: string) => boolean) =>
  blocks.filter(({ text }) => isFaulty(text)).map(({ file, text }) => `${file}: ${text}`);

/** Quoted text has no meaning for the shell, except `!` between double quotes. */
const unquoted = (text: string) => text.replaceAll(/'[^']*'|"(?:\\.|[^"\\])*"/gs, "''");
const isAsking = (command: string) =>
  command.includes('console password') ||
  (command.includes('lead erase') && !/--dry-run|--yes|--lead/.test(command)) ||
  / (-\w*[it]|--interactive|--tty)\b/.test(command);
/** Runs until Ctrl+C, so that it receives the keys of the lines after it. */
const isServing = (command: string) =>
  /npm (start|run start)|programs\/(website|receiver|leads)/.test(command);
const commandsOf = (text: string) => text.replaceAll('\\\n', ' ').trimEnd().split('\n');

describe('a block of shell commands', () => {
  it('is found in README, guides and documents', () => {
    const files = new Set(blocks.map(({ file }) => file));
    expect([...files]).toEqual(expect.arrayContaining(['README.md', 'docs/guides/website.ar.md']));
    expect(blocks.length).toBeGreaterThan(40);
  });

  it('contains no comment, which zsh passes to the command', () => {
    expect(faulty((text) => /(^|\s)#/.test(unquoted(text)))).toEqual([]);
  });

  it('contains no placeholder, which a shell reads as a redirection', () => {
    expect(faulty((text) => /<[^<>\n]*>/.test(text) || unquoted(text).includes('<'))).toEqual([]);
  });

  it('contains no unquoted pattern, which zsh refuses, and no history expansion', () => {
    const isExpanded = (text: string) => text.replaceAll(/'[^']*'/gs, "''").includes('!');
    expect(faulty((text) => /[*?[\]]|(^|\s)=/.test(unquoted(text)))).toEqual([]);
    expect(faulty(isExpanded)).toEqual([]);
  });

  it('names organizations instead of ids', () => {
    expect(faulty((text) => / --org (?!"[^"]+"(\s|$))/.test(text))).toEqual([]);
  });

  it('ends after a command that reads the keyboard', () => {
    const isReading = (command: string) => isAsking(command) || isServing(command);
    expect(faulty((text) => commandsOf(text).slice(0, -1).some(isReading))).toEqual([]);
    // These files are the only commands that ask, which `isAsking` knows.
    const asking = globSync('src/operator/cli/**/*.ts').filter((file) =>
      readFileSync(file, 'utf8').includes("from 'node:readline"),
    );
    expect(asking.map((file) => file.replace(/.*\//, '')).toSorted()).toEqual([
      'console-password.ts',
      'lead-erasure.ts',
    ]);
  });
});

const folder = mkdtempSync(join(tmpdir(), 'integration-api-paste-'));
mkdirSync(join(folder, 'ops/compose'), { recursive: true });
afterAll(() => rmSync(folder, { recursive: true }));

const env = { PATH: '/none', HOME: folder, TERM: 'xterm', LC_ALL: 'C.UTF-8' };
/** With an empty `PATH` a shell passes every command to this function, which prints its words. */
const handlers = { bash: 'command_not_found_handle', zsh: 'command_not_found_handler' };
const recorder = `{ printf '[%s]' "$@"; echo; }`;
/** The text that marks the end of a block is printed, but not part of what is pasted. */
const pasted = blocks.map(
  ({ text }, index) => `cd ${folder}\n${text.trimEnd()}\nprintf 'end=%s\\n' ${index}`,
);

/** Returns what each block prints in a script, where a comment is a comment. */
function meantLines(): string[][] {
  const script = [`${handlers.bash}() ${recorder}`, ...pasted].join('\n');
  const { stdout } = spawnSync('/bin/bash', ['-c', script], { cwd: folder, env });
  const printed = String(stdout).split(/^end=.*\n/m);
  return printed.map((text) => text.split('\n').filter((line) => line !== ''));
}

/** Only a block that a shell cannot read takes so long. */
const limit = () => delay(20_000, undefined, { ref: false });

describe.each(Object.keys(shells) as Shell[])('%s at a terminal', (shell) => {
  const itIfInstalled = canRunShell(shell) ? it : it.skip;

  itIfInstalled('runs the commands of every pasted block as they are meant', async () => {
    const path = process.env['PATH'] ?? '';
    const terminal = await openShell(shell, { env: { ...env, PATH: path }, cwd: folder });
    const shownAfter = async (text: string, end: string) => {
      const from = terminal.paste(text);
      await Promise.race([terminal.untilShown(new RegExp(`end=${end}\r?\n`), from), limit()]);
      return plainText(terminal.output().slice(from)).split('\n');
    };
    const setUp = `${handlers[shell]}() ${recorder}\nPATH=/none PS1= PS2=\nprintf 'end=%s\\n' none`;
    await shownAfter(setUp, 'none');
    const meant = meantLines();
    for (const [index, text] of pasted.entries()) {
      const shown = await shownAfter(text, String(index));
      const expected = [...(meant[index] ?? []), `end=${index}`];
      const lost = expected.filter((line) => !shown.includes(line));
      if (lost.length > 0) terminal.end();
      expect({ file: blocks[index]?.file, shown: lost.length > 0 ? shown : [], lost }).toEqual({
        file: blocks[index]?.file,
        shown: [],
        lost: [],
      });
    }
    terminal.type('exit\n');
    await terminal.ended;
    expect(meant.flat().length).toBeGreaterThan(60);
  });
});
