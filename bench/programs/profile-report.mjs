// Sums up a profile of V8's: by who has written the code that runs, and by function.
import Table from 'cli-table3';

const mostRows = 15;
const leastShare = 0.005;

/**
 * @param profile what `--cpu-prof` writes
 * @param skipMs how much of its beginning does not count
 */
export function profileReport({ nodes, samples, timeDeltas, startTime }, skipMs) {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const owners = new Map();
  const functions = new Map();
  let [now, total] = [startTime, 0];
  samples.forEach((id, index) => {
    const delta = timeDeltas[index];
    now += delta;
    const sinceStartMs = (now - startTime) / 1_000;
    const frame = frames.get(id);
    if (sinceStartMs < skipMs || frame.functionName === '(idle)') return;
    total += delta;
    add(owners, ownerOf(frame), delta);
    add(functions, `${frame.functionName || '(anonymous)'}  ${placeOf(frame)}`, delta);
  });
  return [tableOf('of whom', owners, total), tableOf('function', functions, total)].join('\n');
}

function add(sums, key, value) {
  sums.set(key, (sums.get(key) ?? 0) + value);
}

function ownerOf({ url, functionName }) {
  const packageName = /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1];
  if (packageName !== undefined) return packageName;
  if (url.startsWith('node:')) return 'Node';
  return url.includes('/dist/') ? `service: ${/\/dist\/([^/]+)/.exec(url)[1]}` : functionName;
}

function placeOf({ url, lineNumber }) {
  const file = url.replace(/.*\/(?:node_modules|dist)\//, '');
  return file === '' ? '' : `${file}:${lineNumber + 1}`;
}

function tableOf(title, sums, total) {
  const table = new Table({
    head: [title, 'share'],
    style: { head: [], border: [], compact: true },
    colAligns: ['left', 'right'],
  });
  const rows = [...sums].toSorted(([, one], [, other]) => other - one).slice(0, mostRows);
  for (const [name, sum] of rows) {
    if (sum / total >= leastShare) table.push([name, `${((sum / total) * 100).toFixed(1)} %`]);
  }
  return table.toString();
}
