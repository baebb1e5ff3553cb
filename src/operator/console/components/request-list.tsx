import type { ComponentChildren } from 'preact';
import type { LoggedRequest } from '../../request-log/request-log.service.js';
import { loggedRequestFields } from '../../views/partner.js';
import { Badge, Card, Empty, Pagination, Time } from './components.js';
import { ErrorMeaning } from './error-meaning.js';
import { DetailsLine, FieldList } from './tables.js';

export function RequestList({
  title,
  note,
  filter,
  empty = 'Requests that match the filters are listed here.',
  items,
  next = null,
}: {
  readonly title: string;
  readonly note?: ComponentChildren;
  readonly filter?: ComponentChildren;
  readonly empty?: string;
  readonly items: readonly LoggedRequest[];
  readonly next?: string | null;
}) {
  return (
    <Card title={title} isFlush {...(note !== undefined && { note })}>
      {filter !== undefined && <div class="card-body border-bottom">{filter}</div>}
      {items.length === 0 && <Empty title="No request">{empty}</Empty>}
      <ol class="list-group list-group-flush">
        {items.map((request, index) => (
          <DetailsLine key={index} line={lineOf(request)} isOpen={items.length === 1}>
            {request.errorCodes.map((code) => (
              <ErrorMeaning key={code} code={code} />
            ))}
            <FieldList fields={loggedRequestFields} item={request} />
          </DetailsLine>
        ))}
      </ol>
      <Pagination name="requests" next={next} label={title} />
    </Card>
  );
}

function lineOf({
  time,
  status,
  route,
  errorCodes,
  notices,
  ignoredFields,
  messages,
}: LoggedRequest) {
  const [code = ignoredFields.length > 0 ? 'fields.ignored' : ''] = [...errorCodes, ...notices];
  return [
    <Time time={time} />,
    <Badge severity={status < 400 ? 'warn' : 'bad'}>{status}</Badge>,
    <code>{shortRoute(route)}</code>,
    <strong>{code}</strong>,
    messages[0] ?? ignoredFields.join(', '),
  ];
}

/** Leaves out the path with which all routes begin. */
export function shortRoute(route: string): string {
  return route.replace(/ \/external\/apis\/v[\d.]+/, ' ');
}
