import { type CommandGroup, declare } from '../command-line/declaration.js';

export const consoleGroup: CommandGroup = {
  name: 'console',
  description: "set up the operator's console",
  commands: {
    password: declare({
      description:
        'hash a password, typed or from standard input, and print the value of OPS_PASSWORD',
      run: async () => (await import('./console-password.js')).printPasswordHash(),
    }),
  },
};
