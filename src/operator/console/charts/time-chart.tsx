import { type TimeStep, timeSteps } from '../../usage/time-steps.js';
import { type Reader, useReader } from '../pages/page.js';
import { DataTable, Link, numeric } from '../pages/shared/parts.js';
import { Bars, highestOf, type Series, Swatch } from './bars.js';

const steps = Object.keys(timeSteps) as readonly TimeStep[];
/** A chart of fewer steps is narrow: a single bar would be a wall. */
const maxSparseSteps = 12;
/** Positions of the times below a chart, as shares of its width. */
const ticks = [0, 0.25, 0.5, 0.75, 1];

export function stepOf({ query }: Pick<Reader, 'query'>): TimeStep {
  return steps.find((step) => step === query['by']) ?? 'quarter';
}

export function StepChoice() {
  const reader = useReader();
  const { text, path } = reader;
  return (
    <nav class="steps" aria-label={text('chart.by')}>
      <ul>
        {steps.map((step) => (
          <li key={step}>
            <Link
              to={`${path === '/' ? '' : path}?by=${step}`}
              current={step === stepOf(reader) && 'true'}
            >
              {text(`chart.by.${step}`)}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/**
 * Values by the step in the address, the newest at the right: bars that scripts let pointer and keyboard read,
 * and a table. It begins with the first step that has a value.
 */
export function TimeChart({
  title,
  note,
  times,
  series,
  isStacked = true,
  format,
}: {
  readonly title: string;
  readonly note?: string | undefined;
  readonly times: readonly Date[];
  readonly series: readonly Series[];
  /** Whether the values of a step add up. */
  readonly isStacked?: boolean;
  readonly format?: (value: number | null) => string;
}) {
  const reader = useReader();
  const { text, formats } = reader;
  const written = format ?? formats.number;
  const first = times.findIndex((_, index) =>
    series.some(({ values }) => (values[index] ?? 0) > 0),
  );
  const from = Math.max(0, first);
  const shownTimes = times.slice(from);
  const last = shownTimes.length - 1;
  const shown = series.map((one) => ({ ...one, values: one.values.slice(from) }));
  const highest = roundedUp(highestOf(shown, isStacked));
  const names = shownTimes.map((time) => labelOf(reader, time));
  // A UTC day has no local time.
  const isClock = ['quarter', 'hour'].includes(stepOf(reader));
  const labels = shownTimes.map((time, index) =>
    isClock ? <time dateTime={time.toISOString()}>{names[index]}</time> : names[index],
  );
  const rows = labels.map((label, index) => [
    label,
    ...shown.map(({ values }) => written(values[index] ?? null)),
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
            <li>
              <span>{labels[last]}</span>
            </li>
            {shown.map(({ name, color }, index) => (
              <li key={name}>
                <Swatch color={color} />
                {name} <b>{rows[last]?.[index + 1]}</b>
              </li>
            ))}
          </ul>
          <div class={last < maxSparseSteps ? 'plot few' : 'plot'}>
            <span class="scale">{written(highest)}</span>
            <Bars series={shown} isStacked={isStacked} highest={highest} marked={last} />
            <input type="range" max={last} value={last} aria-label={title} autocomplete="off" />
            <div class="ticks" aria-hidden="true">
              {[...new Set(ticks.map((share) => Math.round(share * last)))].map((mark) => (
                <span key={mark}>{names[mark]}</span>
              ))}
            </div>
          </div>
          <details>
            <summary>{text('chart.table')}</summary>
            <DataTable
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

function labelOf(reader: Reader, time: Date): string {
  const { formats } = reader;
  const step = stepOf(reader);
  if (step === 'day' || step === 'week') return formats.day(time);
  return step === 'hour' ? `${formats.day(time)} ${formats.clock(time)}` : formats.clock(time);
}

/** The next of 1, 2, 5, 10, 20 and so on. */
function roundedUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return power * ([1, 2, 5].find((digit) => value <= digit * power) ?? 10);
}
