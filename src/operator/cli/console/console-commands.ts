import { type CommandGroup, defineCommand } from '../command-line/command-definition.js';

export const consoleGroup: CommandGroup = {
  name: 'console',
  description: "set up the operator's console",
  commands: {
    password: defineCommand({
      description:
        'hash a password, entered at a prompt or read from standard input, and print the value for OPS_PASSWORD',
      run: async () => (await import('./console-password.js')).printPasswordHash(),
    }),
  },
};
