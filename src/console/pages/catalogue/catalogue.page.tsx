import { Injectable } from '@nestjs/common';
import {
  type CatalogueOverview,
  CatalogueOverviewService,
  type OrganizationChoice,
} from '../../../catalogue/import/catalogue-overview.service.js';
import { consolePath } from '../../layout/layout.js';
import { ScrollArea } from '../../layout/scroll-area.js';
import type { ConsolePage, PageContent, PageRequest } from '../page.js';
import { UnitBars } from './unit-bars.js';

/** What was imported when, and which units there are to sell. */
@Injectable()
export class CataloguePage implements ConsolePage {
  readonly path = '/catalogue';
  readonly title = 'catalogue.title';
  readonly isInMenu = true;

  constructor(private readonly catalogues: CatalogueOverviewService) {}

  async read(reader: PageRequest): Promise<PageContent | null> {
    const { text, query } = reader;
    const choices = await this.catalogues.choices();
    const chosen = query['org'] ?? choices[0]?.id;
    if (chosen === undefined) return { body: <p>{text('catalogue.noOrganization')}</p> };
    const overview = await this.catalogues.read(chosen);
    if (overview === null) return null;
    const body = (
      <>
        <Choice choices={choices} chosen={chosen} reader={reader} />
        <section class="card">
          <h2>{text('catalogue.units')}</h2>
          {overview.compounds.length === 0 ? (
            <p>{text('catalogue.noUnits')}</p>
          ) : (
            <UnitBars compounds={overview.compounds} reader={reader} />
          )}
        </section>
        <section class="card">
          <h2>{text('catalogue.imports')}</h2>
          {overview.imports.length === 0 ? (
            <p>{text('catalogue.noImports')}</p>
          ) : (
            <Imports imports={overview.imports} reader={reader} />
          )}
        </section>
      </>
    );
    return { body };
  }
}

function Choice({
  choices,
  chosen,
  reader: { text },
}: {
  readonly choices: readonly OrganizationChoice[];
  readonly chosen: string;
  readonly reader: PageRequest;
}) {
  return (
    <form method="get" action={`${consolePath}/catalogue`} class="choice">
      <label for="org">{text('catalogue.organization')}</label>
      <select id="org" name="org">
        {choices.map(({ id, name }) => (
          <option key={id} value={id} selected={id === chosen}>
            {name === '' ? id : name}
          </option>
        ))}
      </select>
      <button type="submit">{text('catalogue.show')}</button>
    </form>
  );
}

function Imports({
  imports,
  reader: { text, formats },
}: {
  readonly imports: CatalogueOverview['imports'];
  readonly reader: PageRequest;
}) {
  return (
    <ScrollArea label={text('catalogue.imports')}>
      <table>
        <thead>
          <tr>
            <th scope="col">{text('catalogue.begun')}</th>
            <th scope="col">{text('catalogue.state')}</th>
            <th scope="col">{text('catalogue.entries')}</th>
            <th scope="col" class="number">
              {text('catalogue.created')}
            </th>
            <th scope="col" class="number">
              {text('catalogue.updated')}
            </th>
          </tr>
        </thead>
        <tbody>
          {imports.map(({ _id, createdAt, state, done, total, counts }) => (
            <tr key={_id.toHexString()}>
              <th scope="row">{formats.time(createdAt)}</th>
              <td class={state === 'finished' ? 'good' : 'warn'}>
                {text(`catalogue.state.${state}`)}
              </td>
              <td>{text('catalogue.ofEntries', { done, total })}</td>
              <td class="number">
                {formats.number(counts.reduce((sum, { created }) => sum + created, 0))}
              </td>
              <td class="number">
                {formats.number(counts.reduce((sum, { updated }) => sum + updated, 0))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollArea>
  );
}
