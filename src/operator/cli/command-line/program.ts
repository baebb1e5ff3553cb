import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { ConfigurationError } from '../../../core/configuration/startup-errors.js';
import { catalogueGroup } from '../catalogue/catalogue-commands.js';
import { consoleGroup } from '../console/console-commands.js';
import { databaseGroup } from '../database/database-commands.js';
import { keyGroup } from '../keys/key-commands.js';
import { leadGroup } from '../leads/lead-commands.js';
import { organizationGroup } from '../organizations/organization-commands.js';
import { reservationGroup } from '../reservations/reservation-commands.js';
import { webhookGroup } from '../webhooks/webhook-commands.js';
import {
  addCommand,
  addGroup,
  commandLine,
  type CommandGroup,
  UsageError,
} from './command-definition.js';
import { InterruptedError, interruptedCode } from './progress.js';

/** The entry point passes these commands in, because this folder must not import them. */
type MoreCommands = CommandGroup['commands'];

const failureExitCode = 1;
const usageExitCode = 2;

/**
 * Writes results to standard output, and an error as one line to standard error. Exit code 2 means wrong usage or
 * configuration, 1 any other error.
 */
export async function runCommandLine(
  args: readonly string[],
  more: MoreCommands = {},
): Promise<void> {
  try {
    const program = createProgram(more);
    assertNoOptionLost(program, args);
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = isHelp(error) ? 0 : usageExitCode;
    } else {
      process.stderr.write(`${errorLine(error)}\n`);
      process.exitCode = exitCodeOf(error);
    }
  }
}

export function createProgram(more: MoreCommands = {}): Command {
  const program = new Command(commandLine)
    .version(version())
    .description(
      'Manage the Integration API: organizations, keys, webhooks, leads, reservations, catalogues, database.',
    )
    .addHelpText(
      'after',
      `\nExample:\n  ${commandLine} org list\n\nFor scripts, without the output of npm:\n` +
        '  npm run --silent cli -- org list --json | jq',
    )
    .exitOverride()
    .configureOutput({
      // A group without a subcommand prints its help, which is a result and not an error.
      writeErr: (text) => process.stdout.write(text),
      outputError: (text) => process.stderr.write(`${oneLine(text)}\n`),
    });
  addGroup(program, organizationGroup, () => import('../organizations/organization-actions.js'));
  addGroup(program, keyGroup, () => import('../keys/key-actions.js'));
  addGroup(program, webhookGroup, () => import('../webhooks/webhook-actions.js'));
  addGroup(program, leadGroup, () => import('../leads/lead-actions.js'));
  addGroup(program, reservationGroup, () => import('../reservations/reservation-actions.js'));
  addGroup(program, catalogueGroup, () => import('../catalogue/catalogue-actions.js'));
  addGroup(program, databaseGroup, () => import('../database/database-actions.js'));
  addGroup(program, consoleGroup);
  for (const [name, definition] of Object.entries(more)) addCommand(program, name, definition);
  return program;
}

/** Without `--`, npm keeps options for itself, which would turn a dry run into a real one. */
function assertNoOptionLost(program: Command, args: readonly string[]): void {
  if (process.env['npm_lifecycle_event'] !== 'cli') return;
  const words = args.slice(0, 2);
  const group = program.commands.find((one) => one.name() === words[0]);
  const called = group?.commands.find((one) => one.name() === words[1]) ?? group;
  for (const { long } of called?.options ?? []) {
    const variable = `npm_config_${(long ?? '').slice(2).replaceAll('-', '_')}`;
    if ((process.env[variable] ?? '') === '') continue;
    if (args.some((word) => word === long || word.startsWith(`${long}=`))) continue;
    const call = `${commandLine} ${words.join(' ')} ${long}`;
    throw new UsageError(
      `npm kept the option ${long} for itself: put -- before the command, as in \`${call}\`.`,
    );
  }
}

function exitCodeOf(error: unknown): number {
  if (error instanceof InterruptedError) return interruptedCode;
  const isUsage = error instanceof ConfigurationError || error instanceof UsageError;
  return isUsage ? usageExitCode : failureExitCode;
}

function isHelp({ code }: CommanderError): boolean {
  return ['commander.help', 'commander.helpDisplayed', 'commander.version'].includes(code);
}

function version(): string {
  const file = new URL('../../../../package.json', import.meta.url);
  const { version: stated } = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly version?: string;
  };
  return stated ?? 'unknown';
}

function errorLine(error: unknown): string {
  if (error instanceof ConfigurationError) return error.message;
  const line = oneLine(error instanceof Error ? error.message : String(error));
  return error instanceof UsageError ? `error: ${line}` : line;
}

function oneLine(text: string): string {
  return text.trim().replace(/\s+/g, ' ');
}
