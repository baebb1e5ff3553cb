import type { Command } from 'commander';
import { addCommand } from '../command-line/command-texts.js';
import { printLine } from '../command-line/output.js';

export function addDemoCommand(program: Command): void {
  addCommand(program, {
    name: 'demo',
    description: 'walk through the API with a demo organization',
    example: 'demo',
  }).action(async () => {
    const { loadEnvironment } = await import('../../../core/configuration/load-environment.js');
    // Only this command needs a whole service with its listener.
    const { runDemo } = await import('../../../development/demo/run-demo.js');
    await runDemo(loadEnvironment(), printLine);
  });
}
