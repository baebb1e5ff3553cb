import { Command } from 'commander';

/** The call cannot be carried out as it is written: it ends with 2, as what commander refuses. */
export class WrongUsageError extends Error {}

/** A command whose missing options are reported after unknown ones: `--evnts` is `--events` misspelt. */
export class OperatorCommand extends Command {
  override createCommand(name?: string): OperatorCommand {
    return new OperatorCommand(name);
  }

  override requiredOption(flags: string, description?: string, ...rest: unknown[]): this {
    const [parse] = rest;
    const option = this.createOption(flags, description);
    if (typeof parse === 'function') option.argParser(parse as (value: string) => unknown);
    this.addOption(option);
    return this.hook('preAction', (command) => {
      if (command.getOptionValue(option.attributeName()) !== undefined) return;
      const remedy = option.long === '--org' ? ': `org list` lists the organizations' : '';
      command.error(`error: required option '${flags}' not specified${remedy}`);
    });
  }
}

/**
 * npm takes options without `--` before them for its own and passes none of them on: a dry run would be none.
 *
 * @throws WrongUsageError that names such an option
 */
export function assertNoOptionLost(program: Command, args: readonly string[]): void {
  if (process.env['npm_lifecycle_event'] !== 'cli') return;
  const [group, command] = args.slice(0, 2);
  const found = program.commands.find((one) => one.name() === group);
  const called = found?.commands.find((one) => one.name() === command) ?? found;
  for (const { long } of called?.options ?? []) {
    const variable = `npm_config_${(long ?? '').slice(2).replaceAll('-', '_')}`;
    if ((process.env[variable] ?? '') === '') continue;
    if (args.some((word) => word === long || word.startsWith(`${long}=`))) continue;
    throw new WrongUsageError(
      `npm kept the option ${long} for itself: put -- before the command, as in ` +
        `\`${program.name()} ${args.slice(0, 2).join(' ')} ${long}\`.`,
    );
  }
}
