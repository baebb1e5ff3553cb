/** A number that is looked at first. */
export interface KeyFigure {
  readonly name: string;
  readonly value: string;
  readonly mood?: 'good' | 'warn' | 'bad';
}

/** Numbers with their names, large. */
export function KeyFigures({ figures }: { readonly figures: readonly KeyFigure[] }) {
  return (
    <dl class="figures">
      {figures.map(({ name, value, mood }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd class={mood}>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
