import { Injectable } from '@nestjs/common';
import { OperatorLogService } from '../../audit/operator-log.service.js';
import { OrganizationsRepository } from '../../../tenants/organizations/organizations.repository.js';
import { operatorLogFields } from '../../views/operator-log.js';
import type { ConsolePage, PageContent, PageRequest } from './page.js';
import { FieldTable } from './shared/fields.js';
import { keysetRequestOf } from './shared/parts.js';

const entriesPerPage = 50;

@Injectable()
export class OperatorLogPage implements ConsolePage {
  readonly path = '/log';
  readonly title = 'log.title';
  readonly isInMenu = true;

  constructor(
    private readonly log: OperatorLogService,
    private readonly organizations: OrganizationsRepository,
  ) {}

  async read(request: PageRequest): Promise<PageContent> {
    const { text } = request;
    const { items, next } = await this.log.list(
      keysetRequestOf(request, 'entries', entriesPerPage),
    );
    const organizations = await this.organizations.listByName();
    const names = new Map(organizations.map(({ _id, name }) => [_id.toHexString(), name]));
    const entries = items.map((entry) => {
      const id = entry.organizationId.toHexString();
      return {
        ...entry,
        organizationName: entry.subject === 'database' ? '' : (names.get(id) ?? id),
      };
    });
    const body = (
      <FieldTable
        title={text('log.title')}
        caption={text('log.caption')}
        fields={operatorLogFields}
        items={entries}
        next={next}
        part="entries"
      />
    );
    return { body };
  }
}
