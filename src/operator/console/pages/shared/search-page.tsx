import type { ComponentChildren } from 'preact';
import type { Organization } from '../../../../tenants/organizations/organization.js';
import {
  organizationsMeant,
  type OrganizationDirectoryService,
} from '../../../../tenants/organizations/organization-directory.service.js';
import type { ConsolePage, PageAction, PageContent, PageRequest, Redirect } from '../page.js';
import { Card, DataTable } from './parts.js';
import { OrganizationChoice, SearchForm } from './search.js';

/** What a search has found, as the rows of a table. */
export interface SearchResult {
  readonly columns: readonly string[];
  readonly hits: readonly {
    /** Of the page that shows it, behind the organization. */
    readonly id: string;
    readonly cells: readonly ComponentChildren[];
  }[];
  /** Whether there are more. */
  readonly hasMore: boolean;
}

/** More hits are not shown. */
export const mostFound = 50;

/**
 * Looks for things of one organization by what one knows of them. One hit is shown at once. The address
 * says nothing of what was looked for.
 */
export abstract class SearchPage implements ConsolePage {
  readonly path: string;
  readonly title: 'leads.title' | 'reservations.title' | 'units.title';
  readonly isInMenu = true;
  readonly actions: readonly PageAction[];

  /** @param kind what is looked for: the page stands under this name, its texts begin with it */
  protected constructor(
    private readonly kind: 'leads' | 'reservations' | 'units',
    private readonly directory: OrganizationDirectoryService,
  ) {
    this.path = `/${kind}`;
    this.title = `${kind}.title`;
    this.actions = [{ path: this.path, run: (request) => this.search(request) }];
  }

  /** What is known by a reference, {@link mostFound} at the most. */
  protected abstract find(
    request: PageRequest,
    organization: Organization,
    reference: string,
  ): Promise<SearchResult>;

  async read(request: PageRequest): Promise<PageContent> {
    return this.contentWith(request, await this.directory.list(), null);
  }

  private async search(request: PageRequest): Promise<PageContent | Redirect> {
    const all = await this.directory.list();
    const meant = organizationsMeant(all, request.form['organization'] ?? '');
    const [organization] = meant;
    if (organization === undefined || meant.length > 1) {
      const choice = <OrganizationChoice request={request} organizations={meant} />;
      return this.contentWith(request, all, choice);
    }
    const reference = (request.form['reference'] ?? '').trim();
    const result = await this.find(request, organization, reference);
    const [hit] = result.hits;
    if (hit !== undefined && result.hits.length === 1) {
      return { redirectTo: `${this.path}/${organization._id.toHexString()}/${hit.id}` };
    }
    return this.contentWith(request, all, this.found(request, organization, result));
  }

  private contentWith(
    request: PageRequest,
    organizations: readonly Organization[],
    result: ComponentChildren,
  ): PageContent {
    const label = request.text(`${this.kind}.reference`);
    const hint = request.text(`${this.kind}.referenceHint`);
    const body = (
      <SearchForm {...{ request, organizations, path: this.path, label, hint }}>
        {result}
      </SearchForm>
    );
    return { body };
  }

  private found(
    request: PageRequest,
    { name }: Organization,
    { columns, hits, hasMore }: SearchResult,
  ): ComponentChildren {
    const { text } = request;
    if (hits.length === 0) {
      return <p>{text('shared.nothingFound', { hint: text(`${this.kind}.noneHint`) })}</p>;
    }
    const rows = hits.map(({ cells }) => cells);
    return (
      <Card title={text('shared.found')}>
        <DataTable caption={name} {...{ request, columns, rows }} />
        {hasMore && <p class="note">{text('shared.more', { count: hits.length })}</p>}
      </Card>
    );
  }
}
