import { type CommandGroup, declare } from '../command-line/declaration.js';

export const consoleGroup: CommandGroup = {
  name: 'console',
  description: "prepare the operator's web pages",
  commands: {
    password: declare({
      description:
        'print the value of OPS_PASSWORD for a password that is typed or read from standard input',
      run: async () => (await import('./console-password.js')).printPasswordHash(),
    }),
  },
};
