import type { CatalogueOverview } from '../../../catalogue-import/catalogue-overview.service.js';
import { textIn } from '../../../../core/localization/localized.js';
import { type Color, Swatch } from '../../charts/bars.js';
import type { TextKey } from '../../texts/text.js';
import type { PageRequest } from '../page.js';
import { DataTable, numeric } from '../shared/parts.js';

interface Kind {
  readonly status: string;
  readonly title: TextKey;
  readonly color: Color;
}

/** The statuses that the service itself knows. */
const known: readonly Kind[] = [
  { status: 'Available', title: 'catalogue.available', color: 'good' },
  { status: 'Reserved', title: 'catalogue.reserved', color: 'warn' },
  { status: 'Sold', title: 'catalogue.sold', color: 'accent' },
];

/** Units by status of each compound: as bars, and as numbers. */
export function UnitBars({
  request,
  overview: { compounds, compoundCount, unitCount },
}: {
  readonly request: PageRequest;
  readonly overview: CatalogueOverview;
}) {
  const { text, formats, language } = request;
  if (compoundCount === 0) return <p>{text('catalogue.noUnits')}</p>;
  const kinds: readonly { readonly name: string; readonly color: Color }[] = [
    ...known.map((kind) => ({ name: text(kind.title), color: kind.color })),
    { name: text('catalogue.other'), color: 'faint' },
  ];
  const bars = compounds.map(({ _id, name, total, byStatus }) => {
    const parts = known.map(({ status }) => byStatus.get(status) ?? 0);
    const other = total - parts.reduce((sum, part) => sum + part, 0);
    const called = name === null ? _id.toHexString() : textIn(name, language);
    return { name: called, parts: [...parts, other], total };
  });
  const most = Math.max(...bars.map(({ total }) => total));
  const summary = {
    units: formats.number(unitCount),
    compounds: formats.number(compoundCount),
  };
  return (
    <>
      <p class="note">{text('catalogue.unitsText', summary)}</p>
      <DataTable
        request={request}
        label={text('shared.compound')}
        columns={[
          text('shared.compound'),
          ...kinds.map(({ name }) => numeric(name)),
          numeric(text('catalogue.all')),
        ]}
        rows={bars.map(({ name, parts, total }) => [
          <>
            {name}
            <Bar parts={parts} colors={kinds.map(({ color }) => color)} most={most} />
          </>,
          ...parts,
          total,
        ])}
      />
      <ul class="legend" aria-hidden="true">
        {kinds.map(({ name, color }) => (
          <li key={name}>
            <Swatch color={color} />
            {name}
          </li>
        ))}
      </ul>
      {compoundCount > compounds.length && (
        <p class="note">{text('catalogue.more', { count: compoundCount - compounds.length })}</p>
      )}
    </>
  );
}

/** The parts of a number side by side, as long as it is compared with the largest. */
function Bar({
  parts,
  colors,
  most,
}: {
  readonly parts: readonly number[];
  readonly colors: readonly Color[];
  readonly most: number;
}) {
  let from = 0;
  return (
    <svg class="bar" viewBox={`0 0 ${most} 1`} preserveAspectRatio="none" aria-hidden="true">
      {parts.map((part, index) => {
        const x = from;
        from += part;
        return (
          <rect key={index} class={`fill-${colors[index] ?? ''}`} x={x} width={part} height="1" />
        );
      })}
    </svg>
  );
}
