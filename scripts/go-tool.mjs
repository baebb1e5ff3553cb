import { spawnSync } from 'node:child_process';

/** Programs written in Go, with the versions that were tried. */
const modules = {
  actionlint: 'github.com/rhysd/actionlint/cmd/actionlint@v1.7.12',
  oasdiff: 'github.com/oasdiff/oasdiff@v1.38.0',
};

/**
 * Returns the command and arguments that run a tool: the one on PATH, or the one that Go builds. Returns null if there
 * is neither.
 */
export function goTool(name) {
  if (canRun(name, ['--version'])) return [name];
  if (canRun('go', ['version'])) return ['go', 'run', modules[name]];
  return null;
}

function canRun(command, args) {
  return spawnSync(command, args, { stdio: 'ignore' }).error === undefined;
}
