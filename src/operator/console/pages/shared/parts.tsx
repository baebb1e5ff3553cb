import type { ComponentChildren } from 'preact';
import { decodeCursor, type KeysetRequest } from '../../../../core/database/documents/keyset.js';
import { type PageRequest, useReader } from '../page.js';

export const consolePath = '/console';

interface WithChildren {
  readonly children: ComponentChildren;
}

export function Card({ title, children }: WithChildren & { readonly title: string }) {
  return (
    <section class="card">
      <h2>{title}</h2>
      {children}
    </section>
  );
}

/** A form that is posted with the token of the session. */
export function Form({
  to,
  label,
  fields = {},
  isPrimary = false,
  after,
  children,
  ...attributes
}: {
  /** Below `/console`. */
  readonly to: string;
  readonly label: string;
  readonly fields?: Readonly<Record<string, string>>;
  readonly isPrimary?: boolean;
  readonly class?: string;
  readonly role?: 'search';
  readonly after?: ComponentChildren;
  readonly children?: ComponentChildren;
}) {
  const { formToken } = useReader();
  const hidden = { ...(formToken !== '' && { token: formToken }), ...fields };
  return (
    <form method="post" action={consolePath + to} {...attributes}>
      {Object.entries(hidden).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      {children}
      <button type="submit" class={isPrimary ? undefined : 'plain'}>
        {label}
      </button>{' '}
      {after}
    </form>
  );
}

export function Facts({
  facts,
}: {
  readonly facts: readonly (readonly [title: string, value: ComponentChildren])[];
}) {
  const known = facts.filter(([, value]) => value !== false && (value ?? '') !== '');
  return (
    <dl class="facts">
      {known.map(([title, value]) => (
        <div key={title}>
          <dt>{title}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Scrolls what is wider than the screen, by keyboard, too. */
export function ScrollArea({ label, children }: WithChildren & { readonly label: string }) {
  return (
    <div class="scroll" role="region" aria-label={label} tabIndex={0}>
      {children}
    </div>
  );
}

/** The heading of a column; numbers are aligned at their end. */
export type Column = string | { readonly name: string; readonly isNumber: true };

export function numeric(name: string): Column {
  return { name, isNumber: true };
}

/** A caption, or a label for screen readers where a heading says the same. */
type TableName =
  | { readonly caption: string; readonly label?: never }
  | { readonly label: string; readonly caption?: never };

/** A table, whose rows are cards on a phone. The first cell of a row names it. */
export function DataTable({
  caption,
  label,
  columns,
  rows,
  ifEmpty,
}: TableName & {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly ComponentChildren[])[];
  readonly ifEmpty?: string | undefined;
}) {
  const { text, formats } = useReader();
  const names = columns.map((column) => (typeof column === 'string' ? column : column.name));
  const classes = columns.map((column) => (typeof column === 'string' ? undefined : 'number'));
  if (rows.length === 0) return <p class="note">{ifEmpty ?? text('shared.none')}</p>;
  return (
    <ScrollArea label={caption ?? label}>
      <table aria-label={label}>
        {caption !== undefined && <caption>{caption}</caption>}
        <thead>
          <tr>
            {names.map((name, column) => (
              <th key={name} scope="col" class={classes[column]}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([subject, ...cells], row) => (
            <tr key={row}>
              <th scope="row">{subject}</th>
              {cells.map((cell, index) => (
                <td key={index} class={classes[index + 1]} data-title={names[index + 1]}>
                  <div>{typeof cell === 'number' ? formats.number(cell) : cell}</div>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollArea>
  );
}

export function When({ time }: { readonly time: Date | string | null | undefined }) {
  const { formats } = useReader();
  const date = time ? new Date(time) : null;
  if (date === null || Number.isNaN(date.getTime())) return <>–</>;
  return <time dateTime={date.toISOString()}>{formats.time(date)}</time>;
}

export function Link({
  to,
  current = false,
  children,
}: WithChildren & {
  /** Below `/console`. */
  readonly to: string;
  readonly current?: 'page' | 'true' | false;
}) {
  return (
    <a href={consolePath + to} aria-current={current || undefined}>
      {children}
    </a>
  );
}

export function Code({ children }: WithChildren) {
  return <code dir="ltr">{children}</code>;
}

/** The change of a status; a dash where there was none. */
export function ValueChange({ from, to }: { readonly from: string | null; readonly to: string }) {
  return (
    <span dir="ltr">
      <code>{from ?? '–'}</code> → <code>{to}</code>
    </span>
  );
}

export function Pages({
  name,
  next,
  label,
}: {
  /** The query parameter that holds the cursor. */
  readonly name: string;
  readonly next: string | null;
  /** Names the list for screen readers. */
  readonly label: string;
}) {
  const { path, query, text } = useReader();
  const { [name]: shown, language: _language, ...others } = query;
  if (next === null && shown === undefined) return null;
  const to = (part: Readonly<Record<string, string>>) =>
    `${path}?${new URLSearchParams({ ...others, ...part }).toString()}`;
  return (
    <p class="pages">
      {shown !== undefined && <Link to={to({})}>{`${text('shared.newest')}: ${label}`}</Link>}
      {next !== null && (
        <Link to={to({ [name]: next })}>{`${text('shared.older')}: ${label}`}</Link>
      )}
    </p>
  );
}

/**
 * The part of a list from the cursor in the address.
 *
 * @throws Error with status 400 for an invalid cursor
 */
export function keysetRequestOf(
  { query }: PageRequest,
  name: string,
  limit: number,
): KeysetRequest {
  const cursor = query[name];
  if (cursor === undefined) return { limit };
  const after = decodeCursor(cursor);
  if (after !== null) return { limit, after };
  throw Object.assign(new Error(`${name} is no cursor.`), { statusCode: 400 });
}
