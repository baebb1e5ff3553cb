import type { ComponentChildren } from 'preact';

/** The colours of charts; each can be told from the paper. */
export const colors = {
  good: '#4f9d69',
  bad: '#b3261e',
  accent: '#4a85bf',
  warn: '#c07f00',
  faint: '#98a4b0',
} as const;

export type Color = keyof typeof colors;

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
            <rect width="12" height="12" fill={colors[color]} />
          </svg>
          {name}
        </li>
      ))}
    </ul>
  );
}
