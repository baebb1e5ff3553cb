import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { openTerminal, type Terminal } from './terminal.js';

export interface ShellBlock {
  readonly file: string;
  readonly text: string;
}

/** Returns the blocks of commands that readers of the documents paste into a shell. */
export function shellBlocks(pattern = '{*.md,{docs,clients}/**/*.md}'): ShellBlock[] {
  const files = globSync(pattern, { exclude: ['**/node_modules/**', 'clients/**/dist/**'] });
  const block = /^( *)```(?:sh|bash|zsh|shell|console)\n(.*?)^\1```/gms;
  return files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(block)].map(([, , text = '']) => ({ file, text })),
  );
}

/** Interactive shells without the settings of a user. */
export const shells = {
  bash: ['bash', '--norc', '--noprofile', '-i'],
  zsh: ['zsh', '-f', '-i'],
} as const;

export type Shell = keyof typeof shells;

/** Returns whether the shell is installed, and prints a note if it is not. */
export function canRunShell(shell: Shell): boolean {
  const isInstalled = spawnSync(shell, ['--version']).status === 0;
  if (!isInstalled) process.stderr.write(`Pasting into ${shell} is not tested: install ${shell}\n`);
  return isInstalled;
}

export interface ShellTerminal extends Terminal {
  /** Pastes text as terminals do, and presses Enter. Returns the offset of what is printed from then on. */
  paste(text: string): number;
}

export async function openShell(
  shell: Shell,
  options: Parameters<typeof openTerminal>[1],
): Promise<ShellTerminal> {
  const terminal = openTerminal(shells[shell], options);
  const paste = (text: string) => {
    const from = terminal.output().length;
    terminal.type(`\u001b[200~${text.trimEnd()}\u001b[201~\n`);
    return from;
  };
  // Only when the line editor has started, does it understand that a text is pasted.
  await terminal.untilShown(/\[\?2004h/);
  return { ...terminal, paste };
}

/** Removes the control sequences of line editors. */
export function plainText(shown: string): string {
  return stripVTControlCharacters(shown).replaceAll('\r', '');
}
