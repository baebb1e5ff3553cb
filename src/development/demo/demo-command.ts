import { Command } from '@commander-js/extra-typings';
import { exampleText } from '../../operator/cli/command-line/command.js';
import { printLine } from '../../operator/cli/command-line/result.js';

export const demoCommand = new Command('demo')
  .description('call every operation of the API with a demo organization')
  .addHelpText('after', exampleText('demo'))
  .action(async () => {
    const { loadEnvironment } = await import('../../core/configuration/load-environment.js');
    // The service is loaded only here, so that help stays fast.
    const { runDemo } = await import('./run-demo.js');
    await runDemo(loadEnvironment(), printLine);
  });
