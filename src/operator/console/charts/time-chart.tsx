import { type TimeStep, timeSteps } from '../../usage/time-steps.js';
import { type Reader, useReader } from '../pages/page.js';
import { Table, type FieldLabel, titleOf } from '../pages/shared/fields.js';
import { Link } from '../pages/shared/parts.js';
import type { TextKey } from '../texts/text.js';
import { Bars, type Color, highestOf } from './bars.js';

const timeStepNames = Object.keys(timeSteps) as readonly TimeStep[];
/** Charts of fewer steps are narrow: a single bar would fill the page. */
const maxSparseSteps = 12;
/** Positions of time labels as shares of the width. */
const ticks = [0, 0.25, 0.5, 0.75, 1];

export function stepOf({ query }: Pick<Reader, 'query'>): TimeStep {
  return timeStepNames.find((step) => step === query['by']) ?? 'quarter';
}

export function StepChoice() {
  const reader = useReader();
  const { text, path } = reader;
  return (
    <nav class="steps" aria-label={text('chart.by')}>
      <ul>
        {timeStepNames.map((step) => (
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

export type ChartLine<Step> = FieldLabel & {
  readonly color: Color;
  readonly of: (step: Step) => number | null;
};

/**
 * Shows values by the step in the address, the newest at the right, as bars that scripts make interactive and as a
 * table. Begins with the first step that has a value.
 */
export function TimeChart<Step extends { readonly at: Date }>({
  title,
  note,
  steps,
  lines,
  isStacked = true,
  format,
}: {
  readonly title: TextKey;
  /** Defaults to the sums of stacked values. */
  readonly note?: string;
  readonly steps: readonly Step[];
  readonly lines: readonly ChartLine<NoInfer<Step>>[];
  /** True if the values of a step add up. */
  readonly isStacked?: boolean;
  readonly format?: (value: number | null) => string;
}) {
  const reader = useReader();
  const { text, formats } = reader;
  const formatValue = format ?? formats.number;
  const first = steps.findIndex((step) => lines.some(({ of }) => (of(step) ?? 0) > 0));
  const name = text(title);
  if (first === -1) {
    return (
      <figure class="chart">
        <h3>{name}</h3>
        <p class="note">{text('chart.nothing')}</p>
      </figure>
    );
  }
  const shown = steps.slice(first);
  const last = shown.length - 1;
  const series = lines.map((line) => ({
    name: titleOf(line, reader),
    color: line.color,
    values: shown.map(line.of),
  }));
  const sums = series.map((line) => {
    const sum = line.values.reduce<number>((total, value) => total + (value ?? 0), 0);
    return `${line.name} ${formats.number(sum)}`;
  });
  const highest = roundUp(highestOf(series, isStacked));
  return (
    <figure class="chart">
      <figcaption>
        <h3>{name}</h3>
        <p class="note">{note ?? sums.join(' · ')}</p>
      </figcaption>
      <ul class="legend">
        <li>
          <span>{stepTime(reader, shown[last]?.at)}</span>
        </li>
        {series.map((line) => (
          <li key={line.name}>
            <span class={line.color} aria-hidden="true">
              ■
            </span>
            {` ${line.name} `}
            <b>{formatValue(line.values[last] ?? null)}</b>
          </li>
        ))}
      </ul>
      <div class={last < maxSparseSteps ? 'plot few' : 'plot'}>
        <span class="note">{formatValue(highest)}</span>
        <Bars series={series} isStacked={isStacked} highest={highest} marked={last} />
        <input type="range" max={last} value={last} aria-label={name} autocomplete="off" />
        <div class="ticks" aria-hidden="true">
          {[...new Set(ticks.map((share) => Math.round(share * last)))].map((mark) => (
            <span key={mark}>{labelOf(reader, shown[mark]?.at)}</span>
          ))}
        </div>
      </div>
      <details>
        <summary>{text('chart.table')}</summary>
        <Table
          title={name}
          fields={[
            { title: 'shared.when', show: ({ at }) => stepTime(reader, at) },
            ...lines.map((line) => ({
              ...line,
              isNumber: true as const,
              show: (step: Step) => formatValue(line.of(step)),
            })),
          ]}
          items={shown.toReversed()}
        />
      </details>
    </figure>
  );
}

/** Days are UTC and must not be converted to local time. */
function stepTime(reader: Reader, at: Date | undefined) {
  const label = labelOf(reader, at);
  const isClock = ['quarter', 'hour'].includes(stepOf(reader));
  return isClock ? <time dateTime={at?.toISOString()}>{label}</time> : label;
}

function labelOf(reader: Reader, at = new Date(0)): string {
  const { formats } = reader;
  const step = stepOf(reader);
  if (step === 'day' || step === 'week') return formats.day(at);
  return step === 'hour' ? `${formats.day(at)} ${formats.clock(at)}` : formats.clock(at);
}

/** Rounds up to 1, 2, 5, 10, 20 and so on. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return power * ([1, 2, 5].find((digit) => value <= digit * power) ?? 10);
}
