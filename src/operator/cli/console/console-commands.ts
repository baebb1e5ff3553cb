import { newCommand, newGroup } from '../command-line/command.js';
import { print } from '../command-line/result.js';

const password = newCommand(
  'hash a password, entered at a prompt or read from standard input, and print the value for OPS_PASSWORD',
).action(async ({ json = false }) => {
  const { passwordHash } = await import('./console-password.js');
  print(await passwordHash(), json);
});

export const consoleGroup = newGroup('console', "set up the operator's console", { password });
