import { Injectable } from '@nestjs/common';
import { type OperatorLogEntry, OperatorLogService } from '../../../audit/operator-log.service.js';
import { OrganizationDirectoryService } from '../../../../tenants/organizations/organization-directory.service.js';
import type { ConsolePage, PageContent, PageRequest } from '../page.js';
import { Card, Code, DataTable, Link, Pages, partOf, When } from '../shared/parts.js';

const entriesOnPage = 50;

/** What was done in the console and on the command line, by whom and with what result (rule OPS-31). */
@Injectable()
export class OperatorLogPage implements ConsolePage {
  readonly path = '/log';
  readonly title = 'log.title';
  readonly isInMenu = true;

  constructor(
    private readonly log: OperatorLogService,
    private readonly directory: OrganizationDirectoryService,
  ) {}

  async read(request: PageRequest): Promise<PageContent> {
    const { text } = request;
    const { items, next } = await this.log.list(partOf(request, 'entries', entriesOnPage));
    const organizations = await this.directory.list();
    const names = new Map(organizations.map(({ _id, name }) => [_id.toHexString(), name]));
    const body = (
      <Card title={text('log.title')}>
        <DataTable
          request={request}
          caption={text('log.caption')}
          columns={[
            text('shared.when'),
            text('shared.what'),
            text('log.subject'),
            text('log.details'),
            text('log.result'),
            text('shared.organization'),
            text('log.who'),
          ]}
          rows={items.map((entry) => [
            <When request={request} time={entry.createdAt} />,
            text(`log.action.${entry.action}`),
            <>
              {text(`log.subject.${entry.subject}`)} <Subject entry={entry} />
            </>,
            <span dir="ltr">{entry.details ?? '–'}</span>,
            resultText(request, entry),
            names.get(entry.organizationId.toHexString()) ?? (
              <Code>{entry.organizationId.toHexString()}</Code>
            ),
            <Code>{`${entry.address} ${entry.session}`}</Code>,
          ])}
        />
        <Pages request={request} name="entries" next={next} label={text('log.title')} />
      </Card>
    );
    return { body };
  }
}

function resultText({ text }: PageRequest, { result, count }: OperatorLogEntry): string {
  const name = text(`log.result.${result}`);
  return count === null ? name : text('log.count', { result: name, count });
}

function Subject({ entry }: { readonly entry: OperatorLogEntry }) {
  const path = pathOf(entry);
  const id = <Code>{entry.subjectId}</Code>;
  return path === null ? id : <Link to={path}>{id}</Link>;
}

/** Where what it was done to can be looked at; null where it has no page. */
function pathOf({ subject, subjectId, organizationId }: OperatorLogEntry): string | null {
  switch (subject) {
    case 'lead':
      return `/leads/${organizationId.toHexString()}/${subjectId}`;
    case 'reservation':
      return `/reservations/${organizationId.toHexString()}/${subjectId}`;
    case 'delivery':
      return `/webhooks/deliveries/${subjectId}`;
    case 'endpoint':
      return `/webhooks/${subjectId}`;
    case 'key':
    case 'organization':
      return null;
    default:
      return subject satisfies never;
  }
}
