import { partnerListFields } from '../../../views/partner.js';
import type { ConsolePage } from '../page.js';
import { FieldTable } from '../shared/tables.js';
import { usualWeek } from './usual-week.js';

const partnersPerPage = 20;
const refreshSeconds = 60;

export const partnersPage: ConsolePage = {
  path: '/partners',
  title: 'partners.title',
  isInMenu: true,
  async read({ text, query, services }) {
    const partners = await services.partners.listAll();
    const last = Math.max(1, Math.ceil(partners.length / partnersPerPage));
    const page = Math.min(last, Math.max(1, Number.parseInt(query['page'] ?? '1', 10) || 1));
    const body = (
      <FieldTable
        title={text('partners.title')}
        fields={[...partnerListFields, { title: 'partners.usualWeek', show: usualWeek }]}
        items={partners.slice((page - 1) * partnersPerPage, page * partnersPerPage)}
        next={page < last ? String(page + 1) : null}
        part="page"
      />
    );
    return { body, refreshSeconds };
  },
};
