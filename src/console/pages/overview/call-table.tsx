import type { ComponentChildren } from 'preact';
import type { CallSummary } from '../../../figures/call-figures.service.js';
import { ScrollArea } from '../../layout/scroll-area.js';
import type { PageRequest } from '../page.js';

/** A row: what calls are summed up by, and what they come to. */
export interface CallRow extends CallSummary {
  readonly id: string;
  readonly name: ComponentChildren;
}

/** So many rows are shown. */
const rowsLimit = 30;

/** Calls, errors and latency by something. */
export function CallTable({
  title,
  column,
  rows,
  reader: { text, formats },
}: {
  readonly title: string;
  /** What the rows are called by. */
  readonly column: string;
  readonly rows: readonly CallRow[];
  readonly reader: Pick<PageRequest, 'text' | 'formats'>;
}) {
  const milliseconds = (value: number | null) =>
    value === null ? '–' : formats.milliseconds(value);
  return (
    <section class="card">
      <h2>{title}</h2>
      {rows.length === 0 && <p>{text('overview.noCalls')}</p>}
      {rows.length > 0 && (
        <ScrollArea label={title}>
          <table>
            <thead>
              <tr>
                <th scope="col">{column}</th>
                <th scope="col" class="number">
                  {text('overview.callsName')}
                </th>
                <th scope="col" class="number">
                  {text('overview.errors')}
                </th>
                <th scope="col" class="number">
                  {text('overview.failed')}
                </th>
                <th scope="col" class="number">
                  {text('overview.median')}
                </th>
                <th scope="col" class="number">
                  {text('overview.p95')}
                </th>
              </tr>
            </thead>
            <tbody>
              {rows.slice(0, rowsLimit).map((row) => (
                <tr key={row.id}>
                  <th scope="row">{row.name}</th>
                  <td class="number">{formats.number(row.calls)}</td>
                  <td class="number">
                    {formats.number(row.errors)}
                    {row.errors > 0 && ` (${formats.percent(row.errors / row.calls)})`}
                  </td>
                  <td class={`number ${row.failures > 0 ? 'bad' : ''}`}>
                    {formats.number(row.failures)}
                  </td>
                  <td class="number">{milliseconds(row.medianMs)}</td>
                  <td class="number">{milliseconds(row.p95Ms)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollArea>
      )}
      {rows.length > rowsLimit && (
        <p class="note">{text('overview.more', { count: rows.length - rowsLimit })}</p>
      )}
    </section>
  );
}
