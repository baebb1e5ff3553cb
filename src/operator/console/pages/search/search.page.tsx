import type { ComponentChildren } from 'preact';
import type { ConsolePage, PageContent, PageRequest, Redirect } from '../page.js';
import { FieldTable } from '../shared/fields.js';
import { namesOf } from '../shared/organizations.js';
import { Form, Link } from '../shared/parts.js';
import { findRecords, type SearchResult } from './record-search.js';

const maxResults = 50;

/**
 * One box for every record of all organizations; a single result is opened. The reference is posted, since it may be
 * a phone number, which must not be part of an address.
 */
export const searchPage: ConsolePage = {
  path: '/search',
  title: 'search.title',
  isInMenu: true,
  actions: { '': search },
  read: (request) => Promise.resolve(contentWith(request, null)),
};

async function search(request: PageRequest): Promise<PageContent | Redirect> {
  const { text, form, services } = request;
  const reference = (form['reference'] ?? '').trim();
  const organizations = await services.organizations.listByName();
  const results =
    reference === '' ? [] : await findRecords(request, organizations, reference, maxResults + 1);
  const [first] = results;
  if (first === undefined) return contentWith(request, <p>{text('search.none')}</p>);
  if (results.length === 1 && first.path !== null) return { redirectTo: first.path };
  const names = namesOf(organizations);
  return contentWith(
    request,
    <FieldTable<SearchResult>
      title={text('search.results')}
      fields={[
        {
          title: 'lead.name',
          show: ({ path, name }) => (path === null ? name : <Link to={path}>{name}</Link>),
        },
        { title: 'shared.what', kind: 'status', of: ({ kind }) => `record.${kind}` as const },
        {
          title: 'log.details',
          kind: 'text',
          of: ({ details }) => details.filter(Boolean).join(' · '),
        },
        {
          title: 'shared.organization',
          kind: 'text',
          of: ({ organizationId }) => names.get(organizationId) ?? organizationId,
          note: ({ organizationId }) => organizationId,
        },
        { title: 'shared.created', kind: 'time', of: ({ createdAt }) => createdAt },
      ]}
      items={results}
      limit={maxResults}
    />,
  );
}

function contentWith({ form, text }: PageRequest, result: ComponentChildren): PageContent {
  const body = (
    <>
      <Form to="/search" label={text('search.title')} class="card search" role="search" isPrimary>
        <p>
          <label for="reference">{text('search.reference')}</label>
          <input
            id="reference"
            name="reference"
            value={form['reference'] ?? ''}
            required
            maxLength={1_024}
            autocomplete="off"
            aria-describedby="reference-hint"
          />
          <small id="reference-hint">{text('search.hint')}</small>
        </p>
      </Form>
      <div role="status">{result}</div>
    </>
  );
  return { body };
}
