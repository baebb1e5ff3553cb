import Table from 'cli-table3';
import { judged, ratio } from './targets.mjs';

const plain = { style: { head: [], border: [], compact: true } };

/** The table of figures and the table of targets, as text. */
export function reportOf(results) {
  return [figuresTable(results), targetsTable(results), serviceLine(results)].join('\n');
}

/** A number with three significant digits. */
export function short(value) {
  if (value === undefined || Number.isNaN(value)) return '';
  const digits =
    Math.abs(value) >= 100 ? 0 : Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value) || 1)));
  return value.toLocaleString('en', { maximumFractionDigits: Math.min(digits, 3) });
}

function figuresTable(results) {
  const head = [
    'workload',
    'program',
    'req/s',
    'p50 ms',
    'p99 ms',
    'µs',
    'mongod µs',
    'KB',
    'service : it',
  ];
  const table = new Table({
    ...plain,
    head,
    colAligns: ['left', 'left', ...head.slice(2).map(() => 'right')],
  });
  for (const [workload, subjects] of Object.entries(results.workloads)) {
    for (const [subject, figures] of Object.entries(subjects)) {
      const { rate, p50, p99, processor, mongod, bytes } = figures;
      const compared =
        subject === 'service' ? undefined : ratio(results, workload, subject, 'rate');
      const numbers = [rate, p50, p99, processor, mongod, bytes / 1_024, compared].map(short);
      table.push([subject === 'service' ? workload : '', subject, ...numbers]);
    }
  }
  return table.toString();
}

function targetsTable(results) {
  const head = ['target', '', 'bound', 'figure', ''];
  const table = new Table({
    ...plain,
    head,
    colAligns: ['left', 'left', 'right', 'right', 'left'],
  });
  for (const { section, of, value, least, most, isMet } of judged(results)) {
    const bound = least === undefined ? `at most ${most}` : `at least ${least}`;
    table.push([section, of, bound, short(value), verdict(isMet)]);
  }
  return table.toString();
}

function verdict(isMet) {
  if (isMet === undefined) return 'not measured';
  return isMet ? 'met' : 'MISSED';
}

function serviceLine({ service: { memory, startMs } }) {
  const start = `Service: first response after ${short(startMs)} ms`;
  return `${start}, ${short(memory.now)} MB resident at the end, ${short(memory.highest)} MB at most.`;
}
