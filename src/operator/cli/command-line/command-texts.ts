import type { Command } from 'commander';

/** How a command is called from a shell. */
export const commandLine = 'npm run cli --';

/** The same for what is printed into a file: npm's own lines would be in it. */
const silentCommandLine = 'npm run --silent cli --';

/** The id in examples. */
export const exampleId = '665f1c2ab7e4d2f0a1b2c3d4';

/** What `--help` says about a command. */
export interface CommandTexts {
  readonly name: string;
  readonly description: string;
  /** Arguments of one typical call. */
  readonly example: string;
}

/** Adds a command, or a group of commands, that says what it does and shows an example. */
export function addCommand(parent: Command, { name, description, example }: CommandTexts): Command {
  const call = example.includes(' > ') ? silentCommandLine : commandLine;
  return parent
    .command(name)
    .description(description)
    .addHelpText('after', `\nExample:\n  ${call} ${example}`);
}

/** Adds a command that prints a result, for people or for programs. */
export function addPrintingCommand(parent: Command, texts: CommandTexts): Command {
  return addCommand(parent, texts).option('--json', 'print the result as JSON');
}
