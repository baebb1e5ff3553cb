import type { ComponentChildren } from 'preact';

/** What a drawing shows, for those who see it and for those who do not. */
export interface ChartTexts {
  /** Names the chart. */
  readonly title: string;
  /** What can be learnt from it, in words. */
  readonly description: string;
}

/** A drawing that says in words what it shows. */
export function ChartFrame({
  id,
  width,
  height,
  texts,
  children,
}: {
  /** Once in a page. */
  readonly id: string;
  readonly width: number;
  readonly height: number;
  readonly texts: ChartTexts;
  readonly children: ComponentChildren;
}) {
  return (
    <svg
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      role="img"
      aria-labelledby={`${id}-title ${id}-text`}
    >
      <title id={`${id}-title`}>{texts.title}</title>
      <desc id={`${id}-text`}>{texts.description}</desc>
      {children}
    </svg>
  );
}

/** What the colours of a chart stand for. */
export function Legend({
  entries,
}: {
  readonly entries: readonly { readonly name: string; readonly color: Color }[];
}) {
  return (
    <ul class="legend">
      {entries.map(({ name, color }) => (
        <li key={name}>
          <svg width="12" height="12" aria-hidden="true">
            <rect width="12" height="12" class={`fill-${color}`} />
          </svg>
          {name}
        </li>
      ))}
    </ul>
  );
}

/** The colours of charts, as the style sheet has them. */
export type Color = 'good' | 'bad' | 'accent' | 'warn' | 'soft' | 'faint';
