import { Injectable } from '@nestjs/common';
import type { ComponentChildren } from 'preact';
import { OrganizationsRepository } from '../../../../tenants/organizations/organizations.repository.js';
import type { ConsolePage, PageContent, PageRequest, Redirect } from '../page.js';
import { FieldTable } from '../shared/fields.js';
import { Form, Link } from '../shared/parts.js';
import { RecordSearchService } from './record-search.service.js';

const maxHits = 50;

/**
 * One box for every record of all organizations; a single hit is opened. The reference is posted, since it may be a
 * phone number, which must not be part of an address.
 */
@Injectable()
export class SearchPage implements ConsolePage {
  readonly path = '/search';
  readonly title = 'search.title';
  readonly isInMenu = true;
  readonly actions = [{ path: this.path, run: (request: PageRequest) => this.search(request) }];

  constructor(
    private readonly organizations: OrganizationsRepository,
    private readonly records: RecordSearchService,
  ) {}

  read(request: PageRequest): Promise<PageContent> {
    return Promise.resolve(pageWith(request, null));
  }

  private async search(request: PageRequest): Promise<PageContent | Redirect> {
    const { text, form, language } = request;
    const reference = (form['reference'] ?? '').trim();
    const organizations = await this.organizations.listByName();
    const hits =
      reference === ''
        ? []
        : await this.records.find(organizations, reference, language, maxHits + 1);
    const [first] = hits;
    if (first === undefined) return pageWith(request, <p>{text('search.none')}</p>);
    if (hits.length === 1 && first.path !== null) return { redirectTo: first.path };
    const names = new Map(organizations.map(({ _id, name }) => [_id.toHexString(), name]));
    return pageWith(
      request,
      <FieldTable
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
        items={hits.slice(0, maxHits)}
        next={hits.length > maxHits ? '' : null}
      />,
    );
  }
}

function pageWith({ form, text }: PageRequest, result: ComponentChildren): PageContent {
  const body = (
    <>
      <Form to="/search" label={text('search.submit')} class="card search" role="search" isPrimary>
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
