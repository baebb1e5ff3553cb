// Asks the registry's advisory service about the packages of a production install. Ends with 1 when
// one has an advisory of high or critical severity; where the service does not answer, it says so.
import { spawnSync } from 'node:child_process';

const failing = new Set(['high', 'critical']);

const { stdout } = spawnSync(
  'npm',
  ['audit', '--omit=dev', '--json', '--fetch-retries=1', '--fetch-timeout=20000'],
  { encoding: 'utf8' },
);
const report = parsed(stdout);

if (report?.vulnerabilities === undefined) {
  const reason = report?.message ?? 'no report';
  print(`Not audited: the registry's advisory service did not answer (${reason}).`);
} else {
  const found = Object.values(report.vulnerabilities);
  for (const { name, severity } of found) print(`${severity}: ${name}`);
  const grave = found.filter(({ severity }) => failing.has(severity));
  print(`Audited: ${found.length} packages with advisories, ${grave.length} high or critical.`);
  if (grave.length > 0) process.exitCode = 1;
}

function print(line) {
  process.stdout.write(`${line}\n`);
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
