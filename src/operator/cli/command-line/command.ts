import {
  Command,
  CommanderError,
  type CommandUnknownOpts,
  type OptionValues,
} from '@commander-js/extra-typings';
import type { CommandContext } from './context.js';
import { print, type Result } from './result.js';

export const commandLine = 'npm run cli --';
/** Output into a file must not contain npm's own lines. */
const silentCommandLine = 'npm run --silent cli --';
export const exampleId = '665f1c2ab7e4d2f0a1b2c3d4';
export const usageExitCode = 2;

/** Exits with 2, like usage errors that commander finds. */
export class UsageError extends CommanderError {
  constructor(message: string) {
    super(usageExitCode, 'usage', `error: ${message}`);
  }
}

type Action = (context: CommandContext, ...values: never[]) => Promise<Result | void>;

/** Actions get the arguments in their order, then the options. */
export type CommandActions<C> = {
  readonly [Name in keyof C]: C[Name] extends Command<infer Arguments, infer Options>
    ? (context: CommandContext, ...values: [...Arguments, Options]) => Promise<Result | void>
    : never;
};

export type OptionsOf<C> =
  C extends Command<infer _Arguments, infer Options extends OptionValues> ? Options : never;

/**
 * Starts the declaration of a command, whose name is its key in the group.
 *
 * @param example arguments of the example in the help
 */
export function newCommand(description: string, example = '') {
  return new Command()
    .description(description)
    .addHelpText('after', ({ command }) => exampleText(`${pathOf(command)} ${example}`))
    .option('--json', 'print the result as JSON');
}

export function newGroup(
  name: string,
  description: string,
  commands: Readonly<Record<string, CommandUnknownOpts>>,
): CommandUnknownOpts {
  const [first = ''] = Object.keys(commands);
  const group: CommandUnknownOpts = new Command(name)
    .description(description)
    .addHelpText('after', exampleText(`${name} ${first} --help`));
  for (const [key, command] of Object.entries(commands)) {
    group.addCommand(command.name(key));
    requireAfterParsing(command, group);
  }
  return group;
}

/** Actions have the names of their commands and load late: help and usage errors do not wait for the framework. */
export function addActions(
  group: CommandUnknownOpts,
  load: () => Promise<{ readonly actions: Readonly<Record<string, Action>> }>,
): void {
  for (const command of group.commands) {
    command.action(async (...call) => {
      const values = call.slice(0, -1) as never[];
      const isJson = command.opts()['json'] === true;
      const { withApplication } = await import('./application.js');
      return withApplication(isJson, async (context) => {
        const { actions } = await load();
        print(await actions[command.name()]?.(context, ...values), isJson);
      });
    });
  }
}

/**
 * Commander would report a missing option before an unknown one, but a missing `--events` may be misspelled as
 * `--evnts`.
 */
function requireAfterParsing(command: CommandUnknownOpts, group: CommandUnknownOpts): void {
  const required = command.options.filter(({ mandatory }) => mandatory);
  for (const option of required) option.mandatory = false;
  group.hook('preAction', (_, called) => {
    const missing = required.find((option) => called.opts()[option.attributeName()] === undefined);
    if (called !== command || missing === undefined) return;
    const remedy = missing.long === '--org' ? ': `org list` lists the organizations' : '';
    throw new UsageError(`required option '${missing.flags}' not specified${remedy}`);
  });
}

function pathOf(command: CommandUnknownOpts): string {
  const { parent } = command;
  return parent?.parent ? `${parent.name()} ${command.name()}` : command.name();
}

export function exampleText(call: string): string {
  const start = call.includes(' > ') ? silentCommandLine : commandLine;
  return `\nExample:\n  ${start} ${call}`.trimEnd();
}
