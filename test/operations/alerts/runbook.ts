import { readFileSync } from 'node:fs';

/** Returns the minutes after which each alert fires, as the table of the runbook names them. */
export function firingMinutes(): ReadonlyMap<string, number> {
  const runbook = readFileSync('docs/runbook.md', 'utf8');
  const rows = [...runbook.matchAll(/^\| \[(\w+)\]\(#(\w+)\) +\|.*\| +(\d+) \|$/gm)];
  return new Map(rows.map(([, alert = '', , minutes]) => [alert, Number(minutes)]));
}
