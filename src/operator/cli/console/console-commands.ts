import { type CommandGroup, declare } from '../command-line/declaration.js';

export const consoles: CommandGroup = {
  name: 'console',
  description: "prepare the operator's web pages",
  example: 'password',
  commands: {
    password: declare({
      description:
        'print the value of OPS_PASSWORD for a password, which is asked for or read from standard input',
      run: async (output) => (await import('./console-password.js')).printHash(output),
    }),
  },
};
