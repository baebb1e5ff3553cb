import Table from 'cli-table3';

/** Writes a line to standard output. */
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
 * Writes what was measured of each step, one line a build. The last column is the sum of processor times of the first
 * build divided by that of the build in the line.
 *
 * @param measurements by step and then by build
 */
export function printMeasurements(measurements) {
  const rows = Object.entries(measurements).flatMap(([step, byBuild]) => {
    const [[build, first], ...others] = Object.entries(byBuild);
    return [
      [step, build, ...columnsOf(first)],
      ...others.map(([name, one]) => ['', name, ...columnsOf(one), costOf(first) / costOf(one)]),
    ];
  });
  const head = ['step', 'build', 'req/s', 'p50 ms', 'p99 ms', 'µs', 'mongod µs', 'KB'];
  printTable([...head, 'cost, this : it'], rows);
}

function columnsOf({ rate, p50, p99, processor, mongod, bytes }) {
  return [rate, p50, p99, processor, mongod, bytes / 1_024];
}

function costOf({ processor, mongod }) {
  return processor + mongod;
}

/** The median of each figure of several runs. */
export function medians(runs) {
  const names = Object.keys(runs[0] ?? {});
  return Object.fromEntries(names.map((name) => [name, median(runs.map((run) => run[name]))]));
}

export function median(values) {
  return quantile(
    values.toSorted((one, other) => one - other),
    0.5,
  );
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
  return typeof value === 'string' ? value : short(value);
}

function short(value) {
  const magnitude = Math.floor(Math.log10(Math.abs(value) || 1));
  const maximumFractionDigits = Math.min(3, Math.max(0, 2 - magnitude));
  return value.toLocaleString('en', { maximumFractionDigits });
}
