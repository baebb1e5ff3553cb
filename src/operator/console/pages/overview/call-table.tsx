import type { ComponentChildren } from 'preact';
import type { CallSummary } from '../../../usage/call-counts.js';
import type { PageRequest } from '../page.js';
import { Card, DataTable, numeric } from '../shared/parts.js';

/** A row: what calls are summed up by, and what they come to. */
export interface CallRow extends CallSummary {
  readonly name: ComponentChildren;
}

/** So many rows are shown. */
const rowsLimit = 30;

/** Calls, errors and latency by something. */
export function CallTable({
  title,
  column,
  rows,
  request,
}: {
  readonly title: string;
  /** What the rows are called by. */
  readonly column: string;
  readonly rows: readonly CallRow[];
  readonly request: PageRequest;
}) {
  const { text, formats } = request;
  const cells = ({ name, calls, errors, failures, medianMs, p95Ms }: CallRow) => [
    name,
    calls,
    `${formats.number(errors)}${errors > 0 ? ` (${formats.percent(errors / calls)})` : ''}`,
    <span class={failures > 0 ? 'bad' : undefined}>{formats.number(failures)}</span>,
    formats.milliseconds(medianMs),
    formats.milliseconds(p95Ms),
  ];
  return (
    <Card title={title}>
      <DataTable
        request={request}
        label={title}
        columns={[
          column,
          numeric(text('overview.callsName')),
          numeric(text('overview.errors')),
          numeric(text('overview.failed')),
          numeric(text('overview.median')),
          numeric(text('overview.p95')),
        ]}
        rows={rows.slice(0, rowsLimit).map(cells)}
        ifEmpty={text('overview.noCalls')}
      />
      {rows.length > rowsLimit && (
        <p class="note">{text('overview.more', { count: rows.length - rowsLimit })}</p>
      )}
    </Card>
  );
}
