import { defineCommand } from '../../operator/cli/command-line/command-definition.js';
import { printLine } from '../../operator/cli/command-line/result.js';

export const demoCommand = defineCommand({
  description: 'call every operation of the API with a demo organization',
  hasNoJson: true,
  run: async () => {
    const { loadEnvironment } = await import('../../core/configuration/load-environment.js');
    // The service is loaded only here, so that help stays fast.
    const { runDemo } = await import('./run-demo.js');
    await runDemo(loadEnvironment(), printLine);
  },
});
