import Table from 'cli-table3';

export function print(line) {
  process.stdout.write(`${line}\n`);
}

/** Writes a step of the run to standard error, with the seconds since the start. */
export function progress(line) {
  process.stderr.write(`${Math.round(process.uptime())} s  ${line}\n`);
}

/** Writes a table; numbers get three significant digits. */
export function printTable(head, rows) {
  const longest = rows.toSorted((one, other) => other.length - one.length)[0] ?? [];
  const colAligns = longest.map((cell) => (typeof cell === 'string' ? 'left' : 'right'));
  const table = new Table({ head, colAligns, style: { head: [], border: [], compact: true } });
  for (const row of rows) table.push(head.map((_, column) => cellOf(row[column])));
  print(table.toString());
}

/**
 * Writes the medians of several runs, one line per step and service. The last column divides, in each run, the total
 * CPU time of the first service by that of the service in the line.
 *
 * @param runs keyed by step, then by service
 */
export function printMeasurements(runs) {
  const rows = Object.entries(runs).flatMap(([step, byService]) => {
    const costs = Object.values(byService).map((all) =>
      all.map((run) => run.processor + run.mongod),
    );
    return Object.entries(byService).map(([service, all], place) => {
      const value = (name) => median(all.map((run) => run[name]));
      const measured = [
        value('rate'),
        value('p50'),
        value('p99'),
        value('processor'),
        value('mongod'),
        value('bytes') / 1_024,
      ];
      const ratios = costs[place].map((cost, round) => costs[0][round] / cost);
      const ratio = place === 0 ? [] : [median(ratios)];
      return [place === 0 ? step : '', service, ...measured, ...ratio];
    });
  });
  const head = ['step', 'build', 'req/s', 'p50 ms', 'p99 ms', 'µs', 'mongod µs', 'KB'];
  printTable([...head, 'cost, first : it'], rows);
}

export function median(values) {
  const sorted = ascending(values);
  const middle = (sorted.length - 1) / 2;
  return (sorted[Math.floor(middle)] + sorted[Math.ceil(middle)]) / 2;
}

export function ascending(values) {
  return values.toSorted((one, other) => one - other);
}

/** @param sorted in ascending order */
export function quantile(sorted, part) {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
}

function cellOf(value) {
  if (value === undefined || Number.isNaN(value)) return '';
  if (typeof value === 'string') return value;
  return value.toLocaleString('en', { maximumSignificantDigits: 3 });
}
