import Table from 'cli-table3';
import { short } from './tables.mjs';

/** What grows, as text: a table for each of data, organizations and instances. */
export function growthReport({ bySize, byOrganizations, byInstances }) {
  return [
    growthTable('data', bySize, '×'),
    growthTable('organizations', byOrganizations),
    growthTable('instances', byInstances),
  ].join('\n');
}

/** Each request with its microseconds at each size, and what the last one is in parts of the first. */
function growthTable(title, bySize, sign = '') {
  const sizes = Object.keys(bySize);
  const names = sizes.map((size) => `${sign}${size}`);
  const last = names.at(-1);
  const head = [
    title,
    ...names.map((name) => `µs ${name}`),
    ...names.map((name) => `mongod µs ${name}`),
    ...names.map((name) => `p50 ms ${name}`),
    ...names.map((name) => `MB ${name}`),
    `µs + mongod µs, ${last} : ${names[0]}`,
  ];
  const table = new Table({
    style: { head: [], border: [], compact: true },
    head,
    colAligns: ['left', ...head.slice(1).map(() => 'right')],
  });
  for (const workload of Object.keys(bySize[sizes[0]])) {
    const of = sizes.map((size) => bySize[size][workload]);
    const columns = ['processor', 'mongod', 'p50', 'memory'].flatMap((figure) =>
      of.map((one) => one[figure]),
    );
    table.push([workload, ...columns.map(short), short(cost(of.at(-1)) / cost(of[0]))]);
  }
  return table.toString();
}

function cost({ processor = 0, mongod }) {
  return processor + mongod;
}
