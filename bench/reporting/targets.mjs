// What the service has to reach, as ratios within one run; each target says which figure it looks at and its bound.
import { leadsInBatch } from '../driving/bodies.mjs';

const rate = (workload, subject = 'reference') => ({
  figure: (results) => ratio(results, workload, subject, 'rate'),
  of: `${workload}: rate, service : ${subject}`,
});
const time = (workload, part) => ({
  figure: (results) => ratio(results, workload, 'reference', part),
  of: `${workload}: ${part}, service : reference`,
});

const targets = [
  { section: 'Leads', ...rate('leads'), least: 2.2 },
  { section: 'Leads', ...time('leads', 'processor'), most: 0.4 },
  { section: 'Leads', ...time('leads', 'mongod'), most: 0.35 },
  { section: 'Leads', ...time('leads', 'p99'), most: 0.6 },
  { section: 'Leads', of: 'leads-lone: time, service : reference', figure: loneTime, most: 1.2 },
  {
    section: 'Leads',
    of: 'leads-batch: processor a lead, in a batch of 100 : alone',
    figure: batchCost,
    most: 0.25,
  },
  { section: 'Leads', of: 'leads-hot: transactions a request', figure: hotAttempts, most: 1.1 },
  { section: 'Leads', ...rate('leads-50'), least: 1 },
  {
    section: 'Leads',
    of: 'leads-50: processor + mongod, service : reference',
    figure: spreadTime,
    most: 1.1,
  },
  {
    section: 'Events',
    of: 'µs of mongod, without subscribers',
    figure: ({ events }) => events?.alone,
    most: 60,
  },
  {
    section: 'Events',
    of: 'µs of mongod, with a subscriber',
    figure: ({ events }) => events?.delivered,
    most: 300,
  },
  { section: 'Callback', ...rate('callback'), least: 0.9 },
  {
    section: 'Callback',
    of: 'reconciliation: p50 in ms, 1,000 cheques',
    figure: ({ workloads }) => workloads.reconciliation?.service?.p50,
    most: 200,
  },
  { section: 'Reads', ...rate('compounds'), least: 4 },
  { section: 'Reads', ...rate('compounds', 'ceiling'), least: 0.5 },
  { section: 'Reads', ...rate('units'), least: 20 },
  { section: 'Reads', ...rate('units', 'ceiling'), least: 0.6 },
  {
    section: 'Reads',
    of: 'units-304 : healthz, rate of the service',
    figure: unchangedRate,
    least: 0.6,
  },
  { section: 'Reads', ...rate('compounds-written'), least: 3 },
  { section: 'Reads', ...rate('units-written'), least: 10 },
  { section: 'Cold reads', ...rate('compounds-cold'), least: 0.9 },
  { section: 'Cold reads', ...rate('units-cold'), least: 1.3 },
  { section: 'Cold reads', ...rate('export'), least: 1.2 },
  { section: 'Overhead', ...rate('healthz', 'framework'), least: 0.75 },
  { section: 'Overhead', of: 'healthz: µs more than the framework', figure: overhead, most: 40 },
  {
    section: 'Overhead',
    of: 'ms from start to first response',
    figure: ({ service }) => service.startMs,
    most: 1_500,
  },
  {
    section: 'Memory',
    of: 'MB after all of it',
    figure: ({ service }) => service.memory?.now,
    most: 350,
  },
  {
    section: 'Memory',
    of: 'MB at any time',
    figure: ({ service }) => service.memory?.highest,
    most: 450,
  },
];

/** Each target with its figure; `isMet` is undefined for one that was not measured. */
export function judged(results) {
  return targets.map(({ section, of, figure, least, most }) => {
    const value = figure(results);
    const isMet = least === undefined ? value <= most : value >= least;
    return { section, of, value, least, most, isMet: value === undefined ? undefined : isMet };
  });
}

/** A figure of the service divided by that of another subject; undefined where one was not measured. */
export function ratio({ workloads }, workload, subject, figure) {
  const [service, other] = [workloads[workload]?.service, workloads[workload]?.[subject]];
  if (service === undefined || other === undefined) return undefined;
  return service[figure] / other[figure];
}

function loneTime(results) {
  const inverse = ratio(results, 'leads-lone', 'reference', 'rate');
  return inverse === undefined ? undefined : 1 / inverse;
}

/** Alone is one request after the other, as a website sends its backlog without batches. */
function batchCost({ workloads }) {
  const [batch, alone] = [workloads['leads-batch']?.service, workloads['leads-lone']?.service];
  if (batch === undefined || alone === undefined) return undefined;
  return batch.processor / leadsInBatch / alone.processor;
}

function hotAttempts({ workloads }) {
  return workloads['leads-hot']?.service?.transactions;
}

function spreadTime({ workloads }) {
  const { service, reference } = workloads['leads-50'] ?? {};
  if (service === undefined || reference === undefined) return undefined;
  return (service.processor + service.mongod) / (reference.processor + reference.mongod);
}

function unchangedRate({ workloads }) {
  const [unchanged, healthz] = [workloads['units-304']?.service, workloads.healthz?.service];
  return unchanged === undefined || healthz === undefined
    ? undefined
    : unchanged.rate / healthz.rate;
}

function overhead({ workloads }) {
  const { service, framework } = workloads.healthz ?? {};
  if (service === undefined || framework === undefined) return undefined;
  return service.processor - framework.processor;
}
