import { type TimeStep, timeSteps } from '../../usage/time-steps.js';
import { consolePath } from '../layout/layout.js';
import type { PageRequest } from '../pages/page.js';
import { DataTable, numeric } from '../pages/shared/parts.js';
import { Bars, highestOf, type Series, Swatch } from './bars.js';

const steps = Object.keys(timeSteps) as readonly TimeStep[];
/** A chart of fewer steps is narrow: a single bar would be a wall. */
const few = 12;
/** The times below a chart: its beginning, its end, and between them. */
const ticks = [0, 0.25, 0.5, 0.75, 1];

interface OfStep {
  readonly request: PageRequest;
  readonly step: TimeStep;
}

/** The step that the address asks for. */
export function stepOf({ query }: PageRequest): TimeStep {
  return steps.find((step) => step === query['by']) ?? 'quarter';
}

/** Leads to the same page by another step. */
export function StepChoice({ request: { text, path }, step }: OfStep) {
  return (
    <nav class="steps" aria-label={text('chart.by')}>
      <ul>
        {steps.map((one) => (
          <li key={one}>
            <a
              href={`${consolePath}${path === '/' ? '' : path}?by=${one}`}
              aria-current={one === step ? 'true' : undefined}
            >
              {text(`chart.by.${one}`)}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/**
 * Values over time, the newest at the right: a drawing as wide as its place, whose bars are read by pointer or by
 * the keyboard where scripts run, and a table. It begins with the first step that has a value.
 */
export function TimeChart({
  request,
  step,
  title,
  note,
  times,
  series,
  isStacked = true,
  format = request.formats.number,
}: OfStep & {
  readonly title: string;
  readonly note?: string;
  readonly times: readonly Date[];
  readonly series: readonly Series[];
  /** Whether the values of a step add up. */
  readonly isStacked?: boolean;
  readonly format?: (value: number | null) => string;
}) {
  const { text } = request;
  const first = times.findIndex((_, index) =>
    series.some(({ values }) => (values[index] ?? 0) > 0),
  );
  const from = Math.max(0, first);
  const shownTimes = times.slice(from);
  const last = shownTimes.length - 1;
  const shown = series.map((one) => ({ ...one, values: one.values.slice(from) }));
  const highest = roundedUp(highestOf(shown, isStacked));
  // A day is one of UTC: it has no local time.
  const isClock = step === 'quarter' || step === 'hour';
  const labels = shownTimes.map((time) => {
    const label = labelOf(request, step, time);
    return isClock ? <time dateTime={time.toISOString()}>{label}</time> : <span>{label}</span>;
  });
  const marks = [...new Set(ticks.map((share) => Math.round(share * last)))];
  const rows = labels.map((label, index) => [
    label,
    ...shown.map(({ values }) => format(values[index] ?? null)),
  ]);
  return (
    <figure class="chart">
      <figcaption>
        <h3>{title}</h3>
        {note !== undefined && <p class="note">{note}</p>}
      </figcaption>
      {first === -1 ? (
        <p class="note">{text('chart.nothing')}</p>
      ) : (
        <>
          <ul class="legend">
            <li>{labels[last]}</li>
            {shown.map(({ name, color }, index) => (
              <li key={name}>
                <Swatch color={color} />
                {name} <b>{rows[last]?.[index + 1]}</b>
              </li>
            ))}
          </ul>
          <div class={last < few ? 'plot few' : 'plot'}>
            <span class="scale">{format(highest)}</span>
            <Bars series={shown} isStacked={isStacked} highest={highest} marked={last} />
            <input type="range" max={last} value={last} aria-label={title} autocomplete="off" />
            <div class="ticks" aria-hidden="true">
              {marks.map((mark) => (
                <span key={mark}>{labelOf(request, step, shownTimes[mark] ?? new Date(0))}</span>
              ))}
            </div>
          </div>
          <details>
            <summary>{text('chart.table')}</summary>
            <DataTable
              request={request}
              label={title}
              columns={[text('chart.from'), ...shown.map(({ name }) => numeric(name))]}
              rows={rows.toReversed()}
            />
          </details>
        </>
      )}
    </figure>
  );
}

function labelOf({ formats }: PageRequest, step: TimeStep, time: Date): string {
  if (step === 'day' || step === 'week') return formats.day(time);
  const clock = formats.clock(time);
  return step === 'hour' ? `${formats.day(time)} ${clock}` : clock;
}

/** The next of 1, 2, 5, 10, 20 and so on. */
function roundedUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return power * ([1, 2, 5].find((digit) => value <= digit * power) ?? 10);
}
