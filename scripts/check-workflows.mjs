// Checks the workflows of GitHub. Without actionlint and a Go that can build it, exits with 77, which means skipped.
import { spawnSync } from 'node:child_process';
import { goTool } from './go-tool.mjs';

const tool = goTool('actionlint');
const { status = null, stdout = '', stderr = '' } = tool === null ? {} : run(tool);
if (tool === null || stderr.startsWith('go: ')) {
  process.stdout.write('neither actionlint nor a Go that can build it is installed');
  process.exitCode = 77;
} else {
  process.stdout.write(stdout);
  process.stderr.write(stderr);
  process.exitCode = status ?? 1;
}

function run([command, ...args]) {
  return spawnSync(command, [...args, '-no-color'], { encoding: 'utf8' });
}
