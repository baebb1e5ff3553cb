import { partnerListFields } from '../../../views/partner.js';
import { Link, pathWith } from '../../components/components.js';
import { Choices, chosenOf, TextFilter } from '../../components/filters.js';
import { TableCard } from '../../components/tables.js';
import { type ConsolePage, useRenderContext } from '../../page.js';

const pageSize = 25;
const refreshSeconds = 60;

const choices = [
  { value: 'all', label: 'All' },
  { value: 'silent', label: 'Silent' },
  { value: 'failing', label: 'Failing' },
  { value: 'reducible', label: 'Could be reduced' },
  { value: 'readers', label: 'Feed readers' },
  { value: 'unused', label: 'Not used' },
  { value: 'ended', label: 'Ended' },
] as const;

const explanations: Readonly<Partial<Record<(typeof choices)[number]['value'], string>>> = {
  silent: 'Used on at least five of the last seven days, and not for a day.',
  failing: 'More than a fifth of the calls of the last 24 hours were refused or failed.',
  reducible: 'May do what they have not done for four weeks.',
  readers: 'Keys that poll the feed of events, and how many events they have not asked for yet.',
  unused: 'No call in four weeks: revoke what nobody needs.',
  ended: 'Revoked or expired.',
};

/** Answers who is silent, which keys could be reduced, and how far readers of the feed are behind. */
export const partnersPage: ConsolePage = {
  path: '/partners',
  title: 'Partners',
  isInMenu: true,
  async read(request) {
    const { query, services } = request;
    const show = chosenOf(request, 'show', choices);
    const text = query['text']?.trim();
    const page = Math.max(1, Number.parseInt(query['page'] ?? '1', 10) || 1);
    const filter = { show, page, pageSize, ...(text && { text }) };
    const { items, total, counts } = await services.partners.list(filter);
    const body = (
      <>
        <div class="d-flex flex-wrap gap-2 align-items-center mb-3">
          <Choices
            name="show"
            label="Keys"
            choices={choices.map((choice) => ({ ...choice, count: counts[choice.value] }))}
            also={['page']}
          />
          <TextFilter label="Filter keys" keeps={['show']} placeholder="Key or organization" />
        </div>
        <p class="text-secondary">{explanations[show]}</p>
        <TableCard
          label="Keys of partners"
          fields={partnerListFields}
          items={items}
          empty={
            show === 'all' && text === undefined
              ? [
                  'No partner yet',
                  <>
                    Each API key is listed here. Issue one with{' '}
                    <code>npm run cli -- key issue</code>.
                  </>,
                ]
              : ['No key matches', 'Choose other filters.']
          }
        />
        <NumberedPages page={page} last={Math.ceil(total / pageSize)} />
      </>
    );
    return { body, refreshSeconds };
  },
};

function NumberedPages({ page, last }: { readonly page: number; readonly last: number }) {
  const context = useRenderContext();
  if (last <= 1) return null;
  const to = (number: number) => pathWith(context, { page: number === 1 ? null : String(number) });
  return (
    <nav class="d-flex gap-2 align-items-center" aria-label="Pages of keys">
      {page > 1 && (
        <Link class="btn" to={to(page - 1)}>
          Previous page
        </Link>
      )}
      {page < last && (
        <Link class="btn" to={to(page + 1)}>
          Next page
        </Link>
      )}
      <span class="text-secondary">
        Page {page} of {last}
      </span>
    </nav>
  );
}
