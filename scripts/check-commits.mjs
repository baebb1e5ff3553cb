// Checks the subjects of commits: `type(scope): imperative`, at most 72 characters. Commits before `start` are exempt.
import { spawnSync } from 'node:child_process';

const start = '2413b388';
const pattern =
  /^(bench|build|chore|ci|docs|feat|fix|perf|refactor|revert|style|test)(\([a-z-]+\))?!?: [^A-Z\s].*[^.]$/;
const { status, stdout } = spawnSync(
  'git',
  ['log', '--no-merges', '--format=%h %s', `${start}..HEAD`],
  {
    encoding: 'utf8',
  },
);
// A shallow clone or an archive does not contain these commits, so nothing is checked.
if (status === 0) {
  const wrong = stdout
    .split('\n')
    .filter((line) => line !== '')
    .filter((line) => {
      const subject = line.slice(line.indexOf(' ') + 1);
      return subject.length > 72 || !pattern.test(subject);
    });
  if (wrong.length > 0) {
    process.stdout.write(`${wrong.join('\n')}\n`);
    process.exitCode = 1;
  }
}
