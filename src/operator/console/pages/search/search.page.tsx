import { Injectable } from '@nestjs/common';
import type { ComponentChildren } from 'preact';
import { OrganizationsRepository } from '../../../../tenants/organizations/organizations.repository.js';
import { FormToken } from '../../layout/form-token.js';
import { consolePath } from '../../layout/layout.js';
import type { ConsolePage, PageContent, PageRequest, Redirect } from '../page.js';
import { FieldTable } from '../shared/fields.js';
import { Link } from '../shared/parts.js';
import { RecordSearchService } from './record-search.service.js';

/** More hits of a kind are not shown. */
const mostFound = 50;

/**
 * One box for all that has a page, over all organizations. A single hit is opened. The address does not contain
 * the reference: it may be a phone.
 */
@Injectable()
export class SearchPage implements ConsolePage {
  readonly path = '/search';
  readonly title = 'search.title';
  readonly isInMenu = true;
  readonly actions = [{ path: this.path, run: (request: PageRequest) => this.search(request) }];

  constructor(
    private readonly directory: OrganizationsRepository,
    private readonly records: RecordSearchService,
  ) {}

  read(request: PageRequest): Promise<PageContent> {
    return Promise.resolve(pageWith(request, null));
  }

  private async search(request: PageRequest): Promise<PageContent | Redirect> {
    const { text, form, language } = request;
    const reference = (form['reference'] ?? '').trim();
    const organizations = await this.directory.listByName();
    const hits =
      reference === ''
        ? []
        : await this.records.find(organizations, reference, language, mostFound + 1);
    const [first] = hits;
    if (first === undefined) return pageWith(request, <p>{text('search.none')}</p>);
    if (hits.length === 1 && first.path !== null) return { redirectTo: first.path };
    const names = new Map(organizations.map(({ _id, name }) => [_id.toHexString(), name]));
    return pageWith(
      request,
      <FieldTable
        request={request}
        title={text('search.hits')}
        fields={[
          {
            title: 'search.name',
            show: ({ path, name }) => (path === null ? name : <Link to={path}>{name}</Link>),
          },
          { title: 'shared.what', show: ({ kind }) => text(`search.kind.${kind}`) },
          {
            title: 'search.differs',
            show: ({ details }) => <bdi dir="auto">{details.filter(Boolean).join(' · ')}</bdi>,
          },
          {
            title: 'shared.organization',
            kind: 'text',
            of: ({ organizationId }) => names.get(organizationId) ?? organizationId,
            note: ({ organizationId }) => organizationId,
          },
          { title: 'shared.created', kind: 'time', of: ({ createdAt }) => createdAt },
        ]}
        items={hits.slice(0, mostFound)}
        next={hits.length > mostFound ? '' : null}
      />,
    );
  }
}

function pageWith(request: PageRequest, result: ComponentChildren): PageContent {
  const { form, text } = request;
  const body = (
    <>
      <form method="post" action={`${consolePath}/search`} class="card search" role="search">
        <FormToken request={request} />
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
        <button type="submit">{text('search.submit')}</button>
      </form>
      <div role="status">{result}</div>
    </>
  );
  return { body };
}
