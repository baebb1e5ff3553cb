import type { ComponentChildren } from 'preact';
import { decodeCursor, type KeysetRequest } from '../../../../core/database/documents/keyset.js';
import { consolePath } from '../../layout/layout.js';
import { ScrollArea } from '../../layout/scroll-area.js';
import type { PageRequest } from '../page.js';

interface OfPage {
  readonly request: PageRequest;
}

/** A part of a page with its heading. */
export function Card({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ComponentChildren;
}) {
  return (
    <section class="card">
      <h2>{title}</h2>
      {children}
    </section>
  );
}

/** A name and what is to be said of it. */
export type Fact = readonly [name: string, value: ComponentChildren];

/** What is to be said of one thing; facts without a value are left out. */
export function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  const known = facts.filter(([, value]) => value !== false && (value ?? '') !== '');
  return (
    <dl class="facts">
      {known.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** What a column of a table is called; numbers stand under each other. */
export type Column = string | { readonly name: string; readonly isNumber: true };

/** A column of numbers. */
export function numeric(name: string): Column {
  return { name, isNumber: true };
}

/** A caption, or a label for those who hear the page, where a heading says what a caption would. */
type NameOfTable =
  | { readonly caption: string; readonly label?: never }
  | { readonly label: string; readonly caption?: never };

/**
 * A table, which scrolls by itself where it is too wide, and of which a phone shows each row as a card; a line
 * instead of one that is empty. The first cell of a row says what the row is about; a number is written as the
 * language does.
 */
export function DataTable({
  request,
  caption,
  label,
  columns,
  rows,
  ifEmpty = request.text('shared.none'),
}: OfPage &
  NameOfTable & {
    readonly columns: readonly Column[];
    readonly rows: readonly (readonly ComponentChildren[])[];
    readonly ifEmpty?: string;
  }) {
  const { formats } = request;
  const names = columns.map((column) => (typeof column === 'string' ? column : column.name));
  const classes = columns.map((column) => (typeof column === 'string' ? undefined : 'number'));
  if (rows.length === 0) return <p class="note">{ifEmpty}</p>;
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

/** A time; a dash where there is none. */
export function When({
  request,
  time,
}: OfPage & { readonly time: Date | string | null | undefined }) {
  const date = time ? new Date(time) : null;
  if (date === null || Number.isNaN(date.getTime())) return <>–</>;
  return <time dateTime={date.toISOString()}>{request.formats.time(date)}</time>;
}

/** A link to a page of the console. */
export function Link({
  to,
  children,
}: {
  /** Below `/console`. */
  readonly to: string;
  readonly children: ComponentChildren;
}) {
  return <a href={consolePath + to}>{children}</a>;
}

/** An id or another text of programs. */
export function Code({ children }: { readonly children: ComponentChildren }) {
  return <code dir="ltr">{children}</code>;
}

/** A status from and to; a dash where it was none. */
export function Change({ from, to }: { readonly from: string | null; readonly to: string }) {
  return (
    <span dir="ltr">
      <code>{from ?? '–'}</code> → <code>{to}</code>
    </span>
  );
}

/** Leads to the older part of a list, and back to its beginning. */
export function Pages({
  request,
  name,
  next,
  label,
}: OfPage & {
  /** The parameter of the address that says where the list goes on. */
  readonly name: string;
  readonly next: string | null;
  /** What the list is of, for those who hear the page. */
  readonly label: string;
}) {
  const { path, query, text } = request;
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
 * The part of a list that the address asks for.
 *
 * @throws Error 400 when it has no cursor there
 */
export function partOf({ query }: PageRequest, name: string, limit: number): KeysetRequest {
  const cursor = query[name];
  if (cursor === undefined) return { limit };
  const after = decodeCursor(cursor);
  if (after !== null) return { limit, after };
  throw Object.assign(new Error(`${name} is no cursor.`), { statusCode: 400 });
}
