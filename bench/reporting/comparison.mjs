import Table from 'cli-table3';
import { short } from './tables.mjs';
import { judged, ratio } from './targets.mjs';

/** Smaller changes than these are noise, in parts of the figure. */
const noise = 0.1;
const head = ['workload', 'figure of the service', 'accepted', 'latest', 'change'];

/** What differs between two runs, as text; workloads that only one of them has are left out. */
export function comparisonOf(accepted, latest) {
  const aligns = ['left', 'left', 'right', 'right', 'right'];
  const table = new Table({
    style: { head: [], border: [], compact: true },
    head,
    colAligns: aligns,
  });
  for (const name of Object.keys(latest.workloads)) {
    if (accepted.workloads[name] === undefined) continue;
    for (const [figure, valueOf] of figuresOf(name)) {
      const [before, after] = [valueOf(accepted), valueOf(latest)];
      if (before === undefined || after === undefined) continue;
      table.push([name, figure, short(before), short(after), change(before, after)]);
    }
  }
  return [table.toString(), ...turnedTargets(accepted, latest)].join('\n');
}

function figuresOf(name) {
  const own = (figure) => (results) => results.workloads[name].service?.[figure];
  const toReference = (figure) => (results) => ratio(results, name, 'reference', figure);
  return [
    ['rate : reference', toReference('rate')],
    ['µs : reference', toReference('processor')],
    ['mongod µs : reference', toReference('mongod')],
    ['req/s', own('rate')],
    ['p99 ms', own('p99')],
    ['µs', own('processor')],
    ['mongod µs', own('mongod')],
  ];
}

function change(before, after) {
  const part = after / before - 1;
  if (!Number.isFinite(part)) return '';
  const percent = `${part > 0 ? '+' : ''}${Math.round(part * 100)} %`;
  return Math.abs(part) < noise ? `(${percent})` : percent;
}

/** The targets that are met in one of the runs only. */
function turnedTargets(accepted, latest) {
  const before = new Map(judged(accepted).map((target) => [target.of, target]));
  return judged(latest).flatMap(({ of, isMet, value }) => {
    const old = before.get(of);
    if (isMet === undefined || old?.isMet === undefined || old.isMet === isMet) return [];
    return [`${isMet ? 'Met now' : 'MISSED NOW'}: ${of}: ${short(old.value)}, now ${short(value)}`];
  });
}
