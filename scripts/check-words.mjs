// Finds wording that is not plain technical English in code, comments and documents.
// `node scripts/check-words.mjs src/leads docs` checks only files below these paths.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** Matches phrases, because a word may be right elsewhere: "behind a proxy" passes, "behind the last one" does not. */
const phrases = [
  [/\banew\b/i, 'say "again", or name the action: "retries"'],
  [/\bonce more\b/i, 'say "again"'],
  [/\bmend(s|ed|ing)?\b/i, 'say "fix" or "correct"'],
  [/\bbeside\b/i, 'say "next to", "together with" or "in parallel with"'],
  [/\black(s|ed|ing)?\b/i, 'say "has no" or "missing"'],
  [/\b(come|comes|came|coming) again\b/i, 'say "retries", "returns" or "reconnects"'],
  [/\b(go|goes|went|going) on\b(?! (a|the) )/i, 'say "continue"'],
  [/\b(is|are|was|were|be|been|gets?|being) told\b/i, 'say "is reported" or name who informs whom'],
  [/\bfigures\b/i, 'say "statistics", "measurements" or "numbers"'],
  [/\bwhoever\b/i, 'name the subject'],
  [
    /\bwhat(ever)? (waits|follows|came|comes|fails|failed|happens to be|takes|took)\b(?!.*\?)/i,
    'name the subject',
  ],
  [/\bthose (that|who|which)\b/i, 'name the subject'],
  [/\b(in vain|at hand|background pass)\b/i, 'say "ineffective", "available" or "background job"'],
  [/\bpersons\b/i, 'say "people"'],
  [
    /\b(is|are|was|were|be|being|gets?) rejected\b(?!.*(reservation|canceled))/i,
    'say "refused": `rejected` is a status of a reservation',
  ],
  [/\bfor ever\b/i, 'say "forever" or "indefinitely"'],
  [
    /\bbehind (it|them|its|their|the last|the response|the request|the answer|that|this)\b/i,
    'say "after"',
  ],
  [/\bmeanwhile\b.*\btaken back\b|\btaken back\b/i, 'say "revoked" or "withdrawn"'],
  [/\bin passing\b/i, 'say "transient"'],
  [/\bmade up for\b/i, 'say "retried" or "corrected"'],
  [/\bnothing of (it|them|this|that|a)\b/i, 'say "none of", or name the object'],
  [/\bat one go\b|\bin one go\b/i, 'say "immediately" or "in one step"'],
];
/** A statement must not begin with a clause without a subject. */
const headless =
  /(^|[.;!] |\* |\/\/ |\d\. |- )(What|Whoever|Those|That which|Who|Whose) (?![^.]*\?)/;
const prose = /^\s*(\/\/|\/?\*|#)/;

const { stdout: listed } = spawnSync('git', ['ls-files', '-z', '--', ...process.argv.slice(2)], {
  encoding: 'utf8',
});
const isChecked = (path) =>
  /\.(md|ts|tsx|mjs|css|js|ya?ml|json|example)$/.test(path) &&
  !/(^|\/)(package-lock\.json|check-words\.mjs|openapi\.json)$|\.ar\.md$|^docs\/api|^clients\/typescript\/src\/generated|^bench\/results/.test(
    path,
  );

const findings = listed
  .split('\0')
  .filter((path) => isChecked(path) && existsSync(path))
  .flatMap((path) => {
    let isCode = false;
    return readFileSync(path, 'utf8')
      .split('\n')
      .flatMap((line, index) => {
        if (path.endsWith('.md') && line.startsWith('```')) isCode = !isCode;
        const remedies = phrases
          .filter(([phrase]) => phrase.test(line))
          .map(([, remedy]) => remedy);
        const isProse = path.endsWith('.md') ? !isCode : prose.test(line);
        if (isProse && headless.test(line)) remedies.push('begin with the subject');
        return remedies.map((remedy) => `${path}:${index + 1}: ${line.trim()}\n    ${remedy}`);
      });
  });
process.stdout.on('error', () => process.exit(1));
if (findings.length > 0) {
  process.stdout.write(`${findings.join('\n')}\n${findings.length} phrases to reword.\n`);
  process.exitCode = 1;
}
