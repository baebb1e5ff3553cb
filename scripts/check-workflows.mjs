// Checks the workflows of GitHub. Without actionlint and Go, exits with 77, which means skipped.
import { spawnSync } from 'node:child_process';
import { goTool } from './go-tool.mjs';

const tool = goTool('actionlint');
if (tool === null) {
  process.stdout.write('neither actionlint nor Go is installed');
  process.exitCode = 77;
} else {
  const [command, ...args] = tool;
  process.exitCode = spawnSync(command, [...args, '-no-color'], { stdio: 'inherit' }).status ?? 1;
}
