import { Injectable } from '@nestjs/common';
import { type Partner, PartnersService } from '../../../figures/partners.service.js';
import { consolePath } from '../../layout/layout.js';
import { ScrollArea } from '../../layout/scroll-area.js';
import type { ConsolePage, PageContent, PageRequest } from '../page.js';
import { PartnerHabit } from './partner-habit.js';
import { PartnerState } from './partner-state.js';

const pageSize = 20;
const refreshSeconds = 60;

/** Who calls, how usual that is, and who has stopped. */
@Injectable()
export class PartnersPage implements ConsolePage {
  readonly path = '/partners';
  readonly title = 'partners.title';
  readonly isInMenu = true;

  constructor(private readonly partners: PartnersService) {}

  async read(reader: PageRequest): Promise<PageContent> {
    const { text, query } = reader;
    const all = await this.partners.list();
    const last = Math.max(1, Math.ceil(all.length / pageSize));
    const page = Math.min(last, Math.max(1, Number.parseInt(query['page'] ?? '1', 10) || 1));
    const shown = all.slice((page - 1) * pageSize, page * pageSize);
    const body = (
      <>
        <p>{text('partners.about')}</p>
        {all.length === 0 ? (
          <p>{text('partners.none')}</p>
        ) : (
          <Table partners={shown} reader={reader} />
        )}
        {last > 1 && <Paging page={page} last={last} reader={reader} />}
      </>
    );
    return { body, refreshSeconds };
  }
}

function Table({
  partners,
  reader,
}: {
  readonly partners: readonly Partner[];
  readonly reader: PageRequest;
}) {
  const { text, formats } = reader;
  return (
    <ScrollArea label={text('partners.title')}>
      <table>
        <thead>
          <tr>
            <th scope="col">{text('partners.key')}</th>
            <th scope="col">{text('partners.organization')}</th>
            <th scope="col">{text('partners.state')}</th>
            <th scope="col">{text('partners.lastCall')}</th>
            <th scope="col" class="number">
              {text('partners.day')}
            </th>
            <th scope="col" class="number">
              {text('partners.usual')}
            </th>
            <th scope="col" class="number">
              {text('partners.errors')}
            </th>
            <th scope="col">{text('partners.habit')}</th>
          </tr>
        </thead>
        <tbody>
          {partners.map((partner) => (
            <tr key={partner.keyId}>
              <th scope="row">
                <a href={`${consolePath}/partners/${partner.keyId}`}>{partner.name}</a>
              </th>
              <td>{partner.organizationName}</td>
              <td>
                <PartnerState state={partner.state} text={text} />
              </td>
              <td>{formats.time(partner.lastUsedAt ?? partner.lastHour)}</td>
              <td class="number">{formats.number(partner.calls)}</td>
              <td class="number">
                {partner.usualCalls === null ? '–' : formats.number(Math.round(partner.usualCalls))}
              </td>
              <td class="number">{formats.number(partner.errors)}</td>
              <td>
                <PartnerHabit partner={partner} reader={reader} size="small" />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollArea>
  );
}

function Paging({
  page,
  last,
  reader: { text },
}: {
  readonly page: number;
  readonly last: number;
  readonly reader: PageRequest;
}) {
  return (
    <nav aria-label={text('partners.pages')}>
      {page > 1 && <a href={pageAddress(page - 1)}>{text('partners.newer')}</a>}
      {page < last && <a href={pageAddress(page + 1)}>{text('partners.older')}</a>}
    </nav>
  );
}

function pageAddress(page: number): string {
  return `${consolePath}/partners?page=${page}`;
}
