import type { INestApplicationContext } from '@nestjs/common';
import type { Command } from 'commander';
import { withApplication } from './application.js';
import { addCommand } from './command-texts.js';
import type { OutputOptions } from './output.js';

/** An argument of a command, or an option by the name of its value. */
interface Parameter<T> {
  readonly description: string;
  /** `<id>` or `[id]` of an argument, the placeholder of an option's value; none for a flag. */
  readonly placeholder?: string;
  readonly parse?: (text: string) => T;
  readonly isArgument?: boolean;
  readonly isRequired?: boolean;
  readonly defaultsTo?: T;
}

type Parameters = Readonly<Record<string, Parameter<unknown>>>;
export type ValuesOf<D> = D extends Declaration<infer P> ? Values<P> : never;
type Values<P> = OutputOptions & {
  readonly [Name in keyof P]: P[Name] extends Parameter<infer T> ? T : never;
};
type Parse<T> = (text: string) => T;

export function argument<T>(placeholder: string, description: string, parse: Parse<T>) {
  return { placeholder, description, parse, isArgument: true } satisfies Parameter<T>;
}

export function required<T>(placeholder: string, description: string, parse: Parse<T>) {
  return { placeholder, description, parse, isRequired: true } satisfies Parameter<T>;
}

/** An option that may be missing. */
export function option<T>(
  placeholder: string,
  description: string,
  parse: Parse<T>,
): Parameter<T | undefined> {
  return { placeholder, description, parse };
}

/** An option that is always there, as the help says. */
export function defaulting<T>(
  placeholder: string,
  description: string,
  parse: Parse<T>,
  defaultsTo: NoInfer<T>,
): Parameter<T> {
  return { placeholder, description, parse, defaultsTo };
}

export function flag(description: string): Parameter<boolean> {
  return { description };
}

/** A command as data; the actions of its group do its work. */
export interface Declaration<P> {
  readonly description: string;
  /** The arguments of a typical call. */
  readonly example?: string;
  readonly takes?: P;
  /** @throws WrongUsageError before the database is asked */
  check?(values: Values<P>): unknown;
  /** The work of a command without a database. */
  run?(values: Values<P>): Promise<void>;
  /** Whether it prints no result that programs could read. */
  readonly isForPeople?: boolean;
}

type AnyDeclaration = Declaration<Parameters>;
type Action<P> = (application: INestApplicationContext, values: Values<P>) => Promise<unknown>;

/** Declares a command, so that its check knows the types of its values. */
export function declare<P extends Parameters>(declaration: Declaration<P>): Declaration<P> {
  return declaration;
}

/** What the commands of a group do, by their names. */
export type ActionsOf<Commands> = {
  readonly [Name in keyof Commands]: Commands[Name] extends Declaration<infer P>
    ? Action<P>
    : never;
};

export interface CommandGroup {
  readonly name: string;
  readonly description: string;
  readonly example: string;
  readonly commands: Readonly<Record<string, AnyDeclaration>>;
}

/** Loads what the commands of a group do: help and wrong usage do not wait for the framework. */
export type LoadActions = () => Promise<{
  readonly actions: Readonly<Record<string, Action<never>>>;
}>;

export function addGroup(program: Command, group: CommandGroup, load?: LoadActions): void {
  const parent = addCommand(program, { ...group, example: `${group.name} ${group.example}` });
  for (const [name, declaration] of Object.entries(group.commands)) {
    addDeclared(parent, name, declaration, load);
  }
}

/** Adds a command to a group or, where it has none, to the program. */
export function addDeclared(
  parent: Command,
  name: string,
  declaration: AnyDeclaration,
  load?: LoadActions,
): void {
  const { description, takes = {}, isForPeople = false } = declaration;
  const words = parent.parent === null ? [name] : [parent.name(), name];
  const example = [...words, declaration.example ?? []].flat().join(' ');
  const command = addCommand(parent, { name, description, example });
  if (!isForPeople) command.option('--json', 'print the result as JSON');
  for (const [key, parameter] of Object.entries(takes)) add(command, key, parameter);
  command.action(async () => {
    const values = valuesOf(command, takes);
    await declaration.check?.(values);
    if (declaration.run !== undefined) return declaration.run(values);
    return withApplication(async (application) => {
      const action = (await load?.())?.actions[name];
      await action?.(application, values as never);
    });
  });
}

function add(command: Command, key: string, parameter: Parameter<unknown>): void {
  const { placeholder = '', description, parse, defaultsTo } = parameter;
  if (parameter.isArgument === true) {
    command.argument(placeholder, description, parse);
    return;
  }
  const name = key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const flags = `--${name} ${placeholder}`.trimEnd();
  if (parse === undefined) command.option(flags, description);
  else if (parameter.isRequired === true) command.requiredOption(flags, description, parse);
  else command.option(flags, description, parse, defaultsTo);
}

function valuesOf(command: Command, takes: Parameters): Values<Parameters> {
  const values: Record<string, unknown> = { ...command.opts() };
  const names = Object.keys(takes);
  for (const name of names.filter((one) => takes[one]?.parse === undefined)) values[name] ??= false;
  const given = command.processedArgs as readonly unknown[];
  const ofArguments = names.filter((name) => takes[name]?.isArgument === true);
  for (const [index, name] of ofArguments.entries()) values[name] = given[index];
  return values;
}
