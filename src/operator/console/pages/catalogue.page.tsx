import type { CatalogueOverview } from '../../catalogue-import/catalogue-overview.service.js';
import { importFields } from '../../views/catalogue.js';
import { type ConsolePage, useRenderContext } from './page.js';
import { FieldTable } from './shared/tables.js';
import { chosenOrganization, OrganizationFilter } from './shared/organizations.js';

/** Omits older imports and compounds with fewer units. */
const limits = { maxImports: 20, maxCompounds: 40 };

export const cataloguePage: ConsolePage = {
  path: '/catalogue',
  title: 'catalogue.title',
  isInMenu: true,
  async read(request) {
    const { text, services } = request;
    const organizations = await services.organizations.listByName();
    const organization = chosenOrganization(request, organizations) ?? organizations[0];
    if (organization === undefined) return { body: <p>{text('attention.firstOrganization')}</p> };
    const overview = await services.catalogues.read(organization._id, limits);
    const body = (
      <>
        <OrganizationFilter organizations={organizations} chosen={organization} />
        <Units {...overview} />
        <FieldTable
          title={text('catalogue.imports')}
          fields={importFields}
          items={overview.imports}
        />
      </>
    );
    return { name: organization.name, body };
  },
};

function Units({ compounds, compoundCount, unitCount }: CatalogueOverview) {
  const { text, formats } = useRenderContext();
  const statuses = new Set(compounds.flatMap(({ byStatus }) => [...byStatus.keys()]));
  return (
    <FieldTable
      title={text('catalogue.units')}
      caption={text('catalogue.unitsText', { units: unitCount, compounds: compoundCount })}
      fields={[
        {
          title: 'shared.compound',
          kind: 'name',
          of: ({ _id, name }) => name ?? { 'en-us': _id.toHexString() },
        },
        ...[...statuses].toSorted().map((name) => ({
          name,
          isNumber: true as const,
          show: ({ byStatus }: (typeof compounds)[number]) =>
            formats.number(byStatus.get(name) ?? 0),
        })),
        { title: 'catalogue.all', kind: 'number', of: ({ total }) => total },
      ]}
      items={compounds}
      hasMore={compoundCount > compounds.length}
    />
  );
}
