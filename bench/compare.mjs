// What a change did: the latest results of `npm run bench` beside the accepted ones. Ratios to the reference of the
// same run come first, because they do not depend on the machine: `npm run bench:compare [-- --accept]`.
import { parseArgs } from 'node:util';
import { readResults, writeResults } from './reporting/results.mjs';
import { comparisonOf } from './reporting/comparison.mjs';

const { values } = parseArgs({ options: { accept: { type: 'boolean', default: false } } });
const latest = await readResults('latest');
const accepted = await readResults('accepted');
if (latest === null) fail('There are no results yet: run `npm run bench`.');
if (values.accept && !latest.isWhole) fail('Only a run of all workloads can be accepted.');
if (accepted !== null) process.stdout.write(`${comparisonOf(accepted, latest)}\n`);
else if (!values.accept)
  fail('No results were accepted yet: `npm run bench:compare -- --accept` accepts the latest.');
if (values.accept) {
  await writeResults('accepted', latest);
  process.stdout.write('The latest results are the accepted ones now.\n');
}

function fail(line) {
  process.stderr.write(`${line}\n`);
  process.exit(1);
}
