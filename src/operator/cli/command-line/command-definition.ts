import type { Command } from 'commander';
import type { CommandContext } from './context.js';
import { name as nameValue } from './option-values.js';
import { print, type Result } from './result.js';

export const commandLine = 'npm run cli --';
/** Output into a file must not contain npm's own lines. */
const silentCommandLine = 'npm run --silent cli --';
export const exampleId = '665f1c2ab7e4d2f0a1b2c3d4';

/** Exits with 2, like usage errors that commander finds. */
export class UsageError extends Error {}

interface Parameter<T> {
  readonly description: string;
  /** `<id>` or `[id]` of an argument, or the value of an option; absent for a flag. */
  readonly placeholder?: string;
  readonly parse?: (text: string) => T;
  readonly isArgument?: boolean;
  readonly isRequired?: boolean;
  readonly defaultsTo?: T;
}

type Parameters = Readonly<Record<string, Parameter<unknown>>>;
export type ValuesOf<D> = D extends CommandDefinition<infer P> ? Values<P> : never;
type Values<P> = {
  readonly [Name in keyof P]: P[Name] extends Parameter<infer T> ? T : never;
};
type Parse<T> = (text: string) => T;

export function argument<T>(placeholder: string, description: string, parse: Parse<T>) {
  return { placeholder, description, parse, isArgument: true } satisfies Parameter<T>;
}

export function required<T>(placeholder: string, description: string, parse: Parse<T>) {
  return { placeholder, description, parse, isRequired: true } satisfies Parameter<T>;
}

export const org = required('<id>', 'id or name of the organization', nameValue);

export function option<T, Default extends T | undefined = undefined>(
  placeholder: string,
  description: string,
  parse: Parse<T>,
  defaultsTo?: Default,
): Parameter<T | Default> {
  return { placeholder, description, parse, ...(defaultsTo !== undefined && { defaultsTo }) };
}

export function flag(description: string): Parameter<boolean> {
  return { description };
}

/** Contains no action, because the file of an action loads the framework. */
export interface CommandDefinition<P> {
  readonly description: string;
  readonly example?: string;
  readonly parameters?: P;
  /** @throws UsageError before the database is opened */
  check?(values: Values<P>): unknown;
  run?(values: Values<P>): Promise<Result | void>;
  readonly hasNoJson?: boolean;
}

type AnyDefinition = CommandDefinition<Parameters>;
type Action<P> = (context: CommandContext, values: Values<P>) => Promise<Result | void>;

export function defineCommand<P extends Parameters>(
  definition: CommandDefinition<P>,
): CommandDefinition<P> {
  return definition;
}

export type CommandActions<Commands> = {
  readonly [Name in keyof Commands]: Commands[Name] extends CommandDefinition<infer P>
    ? Action<P>
    : never;
};

export interface CommandGroup {
  readonly name: string;
  readonly description: string;
  readonly commands: Readonly<Record<string, AnyDefinition>>;
}

/** Loads actions late: help and usage errors do not wait for the framework. */
type LoadActions = () => Promise<{
  readonly actions: Readonly<Record<string, Action<never>>>;
}>;

export function addGroup(program: Command, group: CommandGroup, load?: LoadActions): void {
  const { name, description, commands } = group;
  const [[first, { example = '' }] = ['', {}]] = Object.entries(commands);
  const parent = addHelp(program.command(name), description, `${name} ${first} ${example}`);
  for (const [command, definition] of Object.entries(commands)) {
    addCommand(parent, command, definition, load);
  }
}

export function addCommand(
  parent: Command,
  name: string,
  definition: AnyDefinition,
  load?: LoadActions,
): void {
  const { description, example = '', parameters = {}, hasNoJson = false } = definition;
  const words = [...(parent.parent === null ? [] : [parent.name()]), name, example];
  const command = addHelp(parent.command(name), description, words.join(' '));
  if (!hasNoJson) command.option('--json', 'print the result as JSON');
  for (const [key, parameter] of Object.entries(parameters)) add(command, key, parameter);
  command.action(async () => {
    const values = valuesOf(command, parameters);
    await definition.check?.(values);
    const isJson = command.opts()['json'] === true;
    if (definition.run !== undefined) return print(await definition.run(values), isJson);
    const { withApplication } = await import('./application.js');
    return withApplication(isJson, async (context) => {
      const action = (await load?.())?.actions[name];
      print(await action?.(context, values as never), isJson);
    });
  });
}

function addHelp(command: Command, description: string, example: string): Command {
  const call = example.includes(' > ') ? silentCommandLine : commandLine;
  return command
    .description(description)
    .addHelpText('after', `\nExample:\n  ${call} ${example}`.trimEnd());
}

function add(command: Command, key: string, parameter: Parameter<unknown>): void {
  const { placeholder = '', description, parse, defaultsTo } = parameter;
  if (parameter.isArgument === true) {
    command.argument(placeholder, description, parse);
    return;
  }
  const flags = `${optionOf(key)} ${placeholder}`.trimEnd();
  if (parse === undefined) command.option(flags, description);
  else command.option(flags, description, parse, defaultsTo);
}

function optionOf(key: string): string {
  return `--${key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** Commander reports unknown options first: a missing `--events` may be misspelled as `--evnts`. */
function valuesOf(command: Command, parameters: Parameters): Values<Parameters> {
  const args = [...(command.processedArgs as readonly unknown[])];
  const options: Record<string, unknown> = command.opts();
  const values: Record<string, unknown> = {};
  for (const [key, { isArgument, isRequired, parse, placeholder = '' }] of Object.entries(
    parameters,
  )) {
    const value = isArgument === true ? args.shift() : options[key];
    values[key] = parse === undefined ? value === true : value;
    if (isRequired !== true || value !== undefined) continue;
    const remedy = key === 'org' ? ': `org list` lists the organizations' : '';
    throw new UsageError(
      `required option '${optionOf(key)} ${placeholder}' not specified${remedy}`,
    );
  }
  return values;
}
