import { Injectable } from '@nestjs/common';
import { type Partner, PartnersService } from '../../../usage/partners.service.js';
import type { ConsolePage, PageContent, PageRequest } from '../page.js';
import { DataTable, Link, numeric, When } from '../shared/parts.js';
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

  async read(request: PageRequest): Promise<PageContent> {
    const { text, query } = request;
    const all = await this.partners.list();
    const last = Math.max(1, Math.ceil(all.length / pageSize));
    const page = Math.min(last, Math.max(1, Number.parseInt(query['page'] ?? '1', 10) || 1));
    const shown = all.slice((page - 1) * pageSize, page * pageSize);
    const body = (
      <>
        <p>{text('partners.about')}</p>
        <DataTable
          request={request}
          label={text('partners.title')}
          columns={[
            text('partners.key'),
            text('shared.organization'),
            text('shared.state'),
            text('partners.lastCall'),
            numeric(text('partners.day')),
            numeric(text('partners.usual')),
            numeric(text('partners.errors')),
            text('partners.habit'),
          ]}
          rows={shown.map((partner) => rowOf(request, partner))}
          ifEmpty={text('partners.none')}
        />
        {last > 1 && <Paging page={page} last={last} request={request} />}
      </>
    );
    return { body, refreshSeconds };
  }
}

function rowOf(request: PageRequest, partner: Partner) {
  return [
    <Link to={`/partners/${partner.keyId}`}>{partner.name}</Link>,
    partner.organizationName,
    <PartnerState state={partner.state} text={request.text} />,
    <When request={request} time={partner.lastCallAt} />,
    partner.calls,
    request.formats.number(partner.usualCalls),
    partner.errors,
    <PartnerHabit partner={partner} request={request} size="small" />,
  ];
}

function Paging({
  page,
  last,
  request: { text },
}: {
  readonly page: number;
  readonly last: number;
  readonly request: PageRequest;
}) {
  return (
    <nav aria-label={text('partners.pages')}>
      {page > 1 && <Link to={`/partners?page=${page - 1}`}>{text('partners.newer')}</Link>}
      {page < last && <Link to={`/partners?page=${page + 1}`}>{text('partners.older')}</Link>}
    </nav>
  );
}
