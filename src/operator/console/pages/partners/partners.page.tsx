import { Injectable } from '@nestjs/common';
import { PartnersService } from '../../../usage/partners.service.js';
import { partnerListFields } from '../../../views/partner.js';
import { Bars } from '../../charts/bars.js';
import type { ConsolePage, PageContent, PageRequest } from '../page.js';
import { FieldTable } from '../shared/fields.js';
import { Link } from '../shared/parts.js';
import { weekText } from './partner.page.js';

const partnersPerPage = 20;
const refreshSeconds = 60;

@Injectable()
export class PartnersPage implements ConsolePage {
  readonly path = '/partners';
  readonly title = 'partners.title';
  readonly isInMenu = true;

  constructor(private readonly partners: PartnersService) {}

  async read(request: PageRequest): Promise<PageContent> {
    const { text, query } = request;
    const all = await this.partners.list();
    const last = Math.max(1, Math.ceil(all.length / partnersPerPage));
    const page = Math.min(last, Math.max(1, Number.parseInt(query['page'] ?? '1', 10) || 1));
    const body = (
      <>
        <p>{text('partners.about')}</p>
        <FieldTable
          title={text('partners.title')}
          fields={[
            ...partnerListFields,
            {
              title: 'partners.habit',
              show: ({ week }) =>
                week.every((calls) => calls === 0) ? (
                  '–'
                ) : (
                  <Bars
                    label={weekText(week, request)}
                    series={[{ name: 'calls', color: 'accent', values: week }]}
                  />
                ),
            },
          ]}
          items={all.slice((page - 1) * partnersPerPage, page * partnersPerPage)}
          ifEmpty={text('partners.none')}
        />
        {last > 1 && (
          <nav class="pages" aria-label={text('partners.pages')}>
            {page > 1 && <Link to={`/partners?page=${page - 1}`}>{text('partners.newer')}</Link>}
            {page < last && <Link to={`/partners?page=${page + 1}`}>{text('partners.older')}</Link>}
          </nav>
        )}
      </>
    );
    return { body, refreshSeconds };
  }
}
