import type { CatalogueOverview } from '../../../../catalogue/import/catalogue-overview.service.js';
import { textIn } from '../../../../core/localization/localized.js';
import type { Color } from '../../charts/chart-frame.js';
import { StackedBars } from '../../charts/stacked-bars.js';
import { ScrollArea } from '../../layout/scroll-area.js';
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
  const title = text('catalogue.units');
  const kinds = [
    ...known.map((kind) => ({ name: text(kind.title), color: kind.color })),
    { name: text('catalogue.other'), color: 'faint' as const },
  ];
  const bars = compounds.map(({ _id, name, total, byStatus }) => {
    const parts = known.map(({ status }) => byStatus.get(status) ?? 0);
    const other = total - parts.reduce((sum, part) => sum + part, 0);
    const called = name === null ? _id.toHexString() : textIn(name, language);
    return { name: called, parts: [...parts, other], total };
  });
  const description = text('catalogue.unitsText', {
    units: formats.number(unitCount),
    compounds: formats.number(compoundCount),
  });
  return (
    <>
      <ScrollArea label={title}>
        <StackedBars id="units" texts={{ title, description }} kinds={kinds} bars={bars} />
      </ScrollArea>
      <DataTable
        request={request}
        label={text('shared.compound')}
        columns={[
          text('shared.compound'),
          ...kinds.map(({ name }) => numeric(name)),
          numeric(text('catalogue.all')),
        ]}
        rows={bars.map(({ name, parts, total }) => [name, ...parts, total])}
      />
      {compoundCount > compounds.length && (
        <p class="note">{text('catalogue.more', { count: compoundCount - compounds.length })}</p>
      )}
    </>
  );
}
