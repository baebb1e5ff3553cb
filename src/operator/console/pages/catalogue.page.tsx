import type { CatalogueOverview } from '../../catalogue-import/catalogue-overview.service.js';
import { textIn } from '../../../core/localization/language.js';
import { importFields } from '../../views/catalogue.js';
import { Swatch } from '../charts/bars.js';
import { type ConsolePage, useReader } from './page.js';
import { FieldTable } from './shared/fields.js';
import { chosenOrganizations, OrganizationFilter } from './shared/organizations.js';

/** Further imports, and compounds with fewer units, are not shown. */
const limits = { maxImports: 20, maxCompounds: 40 };

/** The statuses that the service knows; others are counted together. */
const statuses = [
  { status: 'Available', title: 'catalogue.available', color: 'good' },
  { status: 'Reserved', title: 'catalogue.reserved', color: 'warn' },
  { status: 'Sold', title: 'catalogue.sold', color: 'accent' },
  { status: null, title: 'catalogue.other', color: 'faint' },
] as const;

export const cataloguePage: ConsolePage = {
  path: '/catalogue',
  title: 'catalogue.title',
  isInMenu: true,
  async read(request) {
    const { text, services } = request;
    const organizations = await services.organizations.listByName();
    if (organizations.length === 0) return { body: <p>{text('attention.firstOrganization')}</p> };
    const choices = chosenOrganizations(request, organizations) ?? organizations;
    const [organization, ...others] = choices;
    const filter = <OrganizationFilter choices={choices} />;
    if (organization === undefined || others.length > 0) return { body: filter };
    const overview = await services.catalogues.read(organization._id, limits);
    const body = (
      <>
        {filter}
        <Units {...overview} />
        <FieldTable
          title={text('catalogue.imports')}
          fields={importFields}
          items={overview.imports}
        />
      </>
    );
    return { heading: `${text('catalogue.title')}: ${organization.name}`, body };
  },
};

/** The units of each compound by status, as bars and as numbers. */
function Units({ compounds, compoundCount, unitCount }: CatalogueOverview) {
  const { text, language } = useReader();
  const most = Math.max(...compounds.map(({ total }) => total));
  const rows = compounds.map(({ _id, name, total, byStatus }) => {
    const known = statuses.flatMap(({ status }) =>
      status === null ? [] : (byStatus.get(status) ?? 0),
    );
    const other = total - known.reduce((sum, count) => sum + count, 0);
    const label = name === null ? _id.toHexString() : textIn(name, language);
    return { label, counts: [...known, other], total };
  });
  return (
    <FieldTable
      title={text('catalogue.units')}
      caption={text('catalogue.unitsText', { units: unitCount, compounds: compoundCount })}
      fields={[
        {
          title: 'shared.compound',
          show: ({ label, counts }) => (
            <>
              {label} <Bar counts={counts} most={most} />
            </>
          ),
        },
        ...statuses.map(({ title }, index) => ({
          title,
          kind: 'number' as const,
          of: ({ counts }: (typeof rows)[number]) => counts[index],
        })),
        { title: 'catalogue.all', kind: 'number', of: ({ total }) => total },
      ]}
      items={rows}
      next={compoundCount > compounds.length ? '' : null}
    >
      {rows.length > 0 && (
        <ul class="legend" aria-hidden="true">
          {statuses.map(({ title, color }) => (
            <li key={title}>
              <Swatch color={color} />
              {text(title)}
            </li>
          ))}
        </ul>
      )}
    </FieldTable>
  );
}

/** The counts next to each other, on one scale for all compounds. */
function Bar({ counts, most }: { readonly counts: readonly number[]; readonly most: number }) {
  let end = 0;
  return (
    <svg class="bar" viewBox={`0 0 ${most} 1`} preserveAspectRatio="none" aria-hidden="true">
      {statuses.map(({ title, color }, index) => {
        const width = counts[index] ?? 0;
        end += width;
        return (
          <rect key={title} class={`fill-${color}`} x={end - width} width={width} height="1" />
        );
      })}
    </svg>
  );
}
