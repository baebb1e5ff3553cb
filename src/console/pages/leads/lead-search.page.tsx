import { Injectable } from '@nestjs/common';
import {
  type FoundLeads,
  LeadInspectionService,
} from '../../../leads/inspection/lead-inspection.service.js';
import type { Organization } from '../../../organizations/organization.js';
import { OrganizationDirectoryService } from '../../../organizations/organization-directory.service.js';
import type { ConsolePage, PageContent, PageRequest, Redirect } from '../page.js';
import { Card, DataTable } from '../shared/parts.js';
import { OrganizationChoice, organizationsOf, SearchForm } from '../shared/search.js';
import { leadColumns, leadRow } from './lead-rows.js';

const mostFound = 50;

/** Finds leads; the address says nothing of whom one looks for. */
@Injectable()
export class LeadSearchPage implements ConsolePage {
  readonly path = '/leads';
  readonly title = 'leads.title';
  readonly isInMenu = true;
  readonly actions = [
    { path: '/leads', run: (request: PageRequest) => this.search(request) },
  ] as const;

  constructor(
    private readonly directory: OrganizationDirectoryService,
    private readonly leads: LeadInspectionService,
  ) {}

  async read(request: PageRequest): Promise<PageContent> {
    return this.contentWith(request, null);
  }

  private async search(request: PageRequest): Promise<PageContent | Redirect> {
    const organizations = await organizationsOf(this.directory, request);
    const [organization] = organizations;
    if (organization === undefined || organizations.length > 1) {
      const choice = <OrganizationChoice request={request} organizations={organizations} />;
      return this.contentWith(request, choice);
    }
    const reference = (request.form['reference'] ?? '').trim();
    const found = await this.leads.find(organization, reference, mostFound);
    const [first] = found.leads;
    if (first !== undefined && found.leads.length === 1) {
      return { redirectTo: `/leads/${organization._id.toHexString()}/${first._id}` };
    }
    return this.contentWith(request, <Found request={request} {...{ organization, found }} />);
  }

  private async contentWith(request: PageRequest, found: PageContent['body']) {
    const { text } = request;
    const form = (
      <SearchForm
        request={request}
        organizations={await this.directory.list()}
        path={this.path}
        label={text('leads.reference')}
        hint={text('leads.referenceHint')}
      >
        {found}
      </SearchForm>
    );
    return { body: form };
  }
}

function Found({
  request,
  organization,
  found: { leads, hasMore },
}: {
  readonly request: PageRequest;
  readonly organization: Organization;
  readonly found: FoundLeads;
}) {
  const { text } = request;
  if (leads.length === 0) {
    return <p>{text('shared.nothingFound', { hint: text('leads.noneHint') })}</p>;
  }
  return (
    <Card title={text('shared.found')}>
      <DataTable
        request={request}
        caption={organization.name}
        columns={leadColumns(request)}
        rows={leads.map((lead) => leadRow(request, organization._id.toHexString(), lead))}
      />
      {hasMore && <p class="note">{text('shared.more', { count: leads.length })}</p>}
    </Card>
  );
}
