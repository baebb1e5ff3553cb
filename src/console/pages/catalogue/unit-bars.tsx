import type { CompoundUnits } from '../../../catalogue/import/catalogue-overview.service.js';
import { textIn } from '../../../localization/localized.js';
import type { Color } from '../../charts/chart-frame.js';
import { StackedBars } from '../../charts/stacked-bars.js';
import { ScrollArea } from '../../layout/scroll-area.js';
import type { TextKey } from '../../texts/text.js';
import type { PageRequest } from '../page.js';

/** So many compounds are shown, those with most units. */
const compoundsLimit = 40;

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
  compounds,
  reader: { text, formats, language },
}: {
  readonly compounds: readonly CompoundUnits[];
  readonly reader: PageRequest;
}) {
  const title = text('catalogue.units');
  const shown = compounds.slice(0, compoundsLimit).map(({ name, total, byStatus }) => {
    const parts = known.map(({ status }) => byStatus.get(status) ?? 0);
    const other = total - parts.reduce((sum, part) => sum + part, 0);
    return { name: textIn(name, language), parts: [...parts, other], total };
  });
  const kinds = [
    ...known.map((kind) => ({ name: text(kind.title), color: kind.color })),
    { name: text('catalogue.other'), color: 'faint' as const },
  ];
  const description = text('catalogue.unitsText', {
    units: formats.number(compounds.reduce((sum, { total }) => sum + total, 0)),
    compounds: formats.number(compounds.length),
  });
  return (
    <>
      <ScrollArea label={title}>
        <StackedBars id="units" texts={{ title, description }} kinds={kinds} bars={shown} />
      </ScrollArea>
      <ScrollArea label={text('catalogue.compound')}>
        <table>
          <thead>
            <tr>
              <th scope="col">{text('catalogue.compound')}</th>
              {kinds.map(({ name }) => (
                <th key={name} scope="col" class="number">
                  {name}
                </th>
              ))}
              <th scope="col" class="number">
                {text('catalogue.all')}
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map(({ name, parts, total }, row) => (
              <tr key={row}>
                <th scope="row">{name}</th>
                {parts.map((part, kind) => (
                  <td key={kinds[kind]?.name} class="number">
                    {formats.number(part)}
                  </td>
                ))}
                <td class="number">{formats.number(total)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollArea>
      {compounds.length > compoundsLimit && (
        <p class="note">{text('catalogue.more', { count: compounds.length - compoundsLimit })}</p>
      )}
    </>
  );
}
