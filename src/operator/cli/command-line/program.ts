import { readFileSync } from 'node:fs';
import { Command, CommanderError, type CommandUnknownOpts } from '@commander-js/extra-typings';
import { ConfigurationError } from '../../../core/configuration/startup-errors.js';
import { catalogueGroup } from '../catalogue/catalogue-commands.js';
import { consoleGroup } from '../console/console-commands.js';
import { databaseGroup } from '../database/database-commands.js';
import { keyGroup } from '../keys/key-commands.js';
import { leadGroup } from '../leads/lead-commands.js';
import { organizationGroup } from '../organizations/organization-commands.js';
import { reservationGroup } from '../reservations/reservation-commands.js';
import { webhookGroup } from '../webhooks/webhook-commands.js';
import { addActions, commandLine, exampleText, UsageError, usageExitCode } from './command.js';
import { InterruptedError, interruptedCode } from './progress.js';

addActions(organizationGroup, () => import('../organizations/organization-actions.js'));
addActions(keyGroup, () => import('../keys/key-actions.js'));
addActions(webhookGroup, () => import('../webhooks/webhook-actions.js'));
addActions(leadGroup, () => import('../leads/lead-actions.js'));
addActions(reservationGroup, () => import('../reservations/reservation-actions.js'));
addActions(catalogueGroup, () => import('../catalogue/catalogue-actions.js'));
addActions(databaseGroup, () => import('../database/database-actions.js'));

const groups = [
  organizationGroup,
  keyGroup,
  webhookGroup,
  leadGroup,
  reservationGroup,
  catalogueGroup,
  databaseGroup,
  consoleGroup,
];
const failureExitCode = 1;

/**
 * Writes results to standard output, and an error as one line to standard error. Exit code 2 means wrong usage or
 * configuration, 1 any other error.
 *
 * @param more commands from folders that this folder must not import
 */
export async function runCommandLine(
  args: readonly string[],
  ...more: readonly CommandUnknownOpts[]
): Promise<void> {
  try {
    const program = createProgram(...more);
    assertNoOptionLost(program, args);
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError && isHelp(error)) return;
    process.stderr.write(`${errorLine(error)}\n`);
    process.exitCode = exitCodeOf(error);
  }
}

export function createProgram(...more: readonly CommandUnknownOpts[]): CommandUnknownOpts {
  const scripts =
    '\n\nFor scripts, without the output of npm:\n  npm run --silent cli -- org list --json | jq';
  const program: CommandUnknownOpts = new Command(commandLine)
    .version(version())
    .description(
      'Manage the Integration API: organizations, keys, webhooks, leads, reservations, catalogues, database.',
    )
    .addHelpText('after', exampleText('org list') + scripts)
    .exitOverride()
    .configureOutput({
      // A group without a subcommand prints its help, which is a result and not an error.
      writeErr: (text) => process.stdout.write(text),
      // The error is printed where it is caught.
      outputError: () => undefined,
    });
  for (const command of [...groups, ...more]) {
    program.addCommand(command);
    for (const part of [command, ...command.commands]) part.copyInheritedSettings(program);
  }
  return program;
}

/** Without `--`, npm keeps options for itself, which would turn a dry run into a real one. */
function assertNoOptionLost(program: CommandUnknownOpts, args: readonly string[]): void {
  if (process.env['npm_lifecycle_event'] !== 'cli') return;
  const words = args.slice(0, 2);
  const group = program.commands.find((candidate) => candidate.name() === words[0]);
  const called = group?.commands.find((candidate) => candidate.name() === words[1]) ?? group;
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
  const isUsage = error instanceof ConfigurationError || error instanceof CommanderError;
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
  return oneLine(error instanceof Error ? error.message : String(error));
}

function oneLine(text: string): string {
  return text.trim().replace(/\s+/g, ' ');
}
