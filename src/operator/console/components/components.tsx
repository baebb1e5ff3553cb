import type { ComponentChildren } from 'preact';
import { decodeCursor, type KeysetRequest } from '../../../core/database/documents/keyset.js';
import type { Severity } from '../../views/view-field.js';
import { type PageRequest, type StringValues, useRenderContext } from '../page.js';
import { formatRelative, formatTime } from './formats.js';

export const consolePath = '/console';

const itemsPerPage = 25;

const colors: Readonly<Record<Severity, string>> = {
  good: 'green',
  warn: 'yellow',
  bad: 'red',
  note: 'azure',
};

interface WithChildren {
  readonly children?: ComponentChildren;
}

/** Without a title, the page's heading or the content itself says what the card shows. */
export function Card({
  title,
  note,
  actions,
  isFlush = false,
  children,
}: WithChildren & {
  readonly title?: string;
  readonly note?: ComponentChildren;
  readonly actions?: ComponentChildren;
  /** Tables and lists reach the edges of the card. */
  readonly isFlush?: boolean;
}) {
  return (
    <div class="card mb-3">
      {title !== undefined && (
        <div class="card-header">
          <div>
            <h2 class="card-title">{title}</h2>
            {note !== undefined && <p class="card-subtitle">{note}</p>}
          </div>
          {actions !== undefined && <div class="card-actions">{actions}</div>}
        </div>
      )}
      {isFlush ? children : <div class="card-body">{children}</div>}
    </div>
  );
}

export function Badge({
  severity,
  children,
}: WithChildren & { readonly severity?: Severity | undefined }) {
  return (
    <span class={`badge bg-${severity === undefined ? 'secondary' : colors[severity]}-lt`}>
      {children}
    </span>
  );
}

/** Says what will be shown here. */
export function Empty({ title, children }: WithChildren & { readonly title: string }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      <p class="empty-subtitle text-secondary">{children}</p>
    </div>
  );
}

export function Alert({ severity, children }: WithChildren & { readonly severity: Severity }) {
  const color = { good: 'success', warn: 'warning', bad: 'danger', note: 'info' }[severity];
  return (
    <div class={`alert alert-${color}`} role="status">
      <div>{children}</div>
    </div>
  );
}

/** Also posts the session's token, without which a form is refused. */
export function Form({
  to,
  label,
  fields = {},
  isPrimary = false,
  children,
  ...attributes
}: WithChildren & {
  /** Path below `/console`. */
  readonly to: string;
  readonly label: string;
  readonly fields?: StringValues;
  readonly isPrimary?: boolean;
  readonly class?: string;
}) {
  const { formToken } = useRenderContext();
  return (
    <form method="post" action={consolePath + to} {...attributes}>
      <HiddenFields {...(formToken !== '' && { token: formToken })} {...fields} />
      {children}
      <button type="submit" class={`btn ${isPrimary ? 'btn-primary' : ''}`}>
        {label}
      </button>
    </form>
  );
}

export function HiddenFields(fields: StringValues) {
  return Object.entries(fields).map(([name, value]) => (
    <input key={name} type="hidden" name={name} value={value} />
  ));
}

/** Shows how long ago it was, and the exact time on hover or, where there is room, too. */
export function Time({
  time,
  isExact = false,
}: {
  readonly time: Date | string | null | undefined;
  readonly isExact?: boolean;
}) {
  const { now } = useRenderContext();
  const date = time ? new Date(time) : null;
  if (date === null || Number.isNaN(date.getTime())) return <>–</>;
  return (
    <time dateTime={date.toISOString()} title={formatTime(date)}>
      {formatRelative(date, now)}
      {isExact && <small class="text-secondary d-block">{formatTime(date)}</small>}
    </time>
  );
}

export function Link({
  to,
  current = false,
  children,
  ...attributes
}: WithChildren & {
  /** Path below `/console`. */
  readonly to: string;
  readonly current?: 'page' | 'true' | false;
  readonly class?: string;
}) {
  return (
    <a href={consolePath + to} aria-current={current || undefined} {...attributes}>
      {children}
    </a>
  );
}

/** A click copies the value. */
export function Copyable({ value }: { readonly value: string | number }) {
  return (
    <button type="button" class="copy" data-copy={value} title="Copy">
      <code>{value}</code>
    </button>
  );
}

/** A dash stands for a missing status. */
export function ValueChange({ from, to }: { readonly from: string | null; readonly to: string }) {
  return (
    <span>
      {from ?? '–'} → <strong>{to}</strong>
    </span>
  );
}

/** Links to the page with these values of the query; null removes one. */
export function pathWith(
  { path, query }: Pick<PageRequest, 'path' | 'query'>,
  changes: Readonly<Record<string, string | null>>,
): string {
  const all = Object.entries({ ...query, ...changes }).flatMap(([name, value]) =>
    value === null || value === '' ? [] : [[name, value] as const],
  );
  const search = new URLSearchParams(Object.fromEntries(all)).toString();
  return `${path === '/' ? '' : path}${search === '' ? '' : `?${search}`}`;
}

export function Pagination({
  name,
  next,
  label,
}: {
  /** Query parameter of the cursor. */
  readonly name: string;
  readonly next: string | null;
  /** Label of the list for screen readers. */
  readonly label: string;
}) {
  const context = useRenderContext();
  const shown = context.query[name];
  if (next === null && shown === undefined) return null;
  return (
    <nav class="card-footer d-flex gap-2" aria-label={`Pages of ${label}`}>
      {shown !== undefined && (
        <Link class="btn" to={pathWith(context, { [name]: null })}>
          First page
        </Link>
      )}
      {next !== null && (
        <Link class="btn" to={pathWith(context, { [name]: next })}>
          Next page
        </Link>
      )}
    </nav>
  );
}

/** @throws Error with status 400 for an invalid cursor in the address */
export function keysetRequestOf({ query }: PageRequest, name: string): KeysetRequest {
  const limit = itemsPerPage;
  const cursor = query[name];
  if (cursor === undefined) return { limit };
  const after = decodeCursor(cursor);
  if (after !== null) return { limit, after };
  throw Object.assign(new Error(`${name} is not a valid cursor.`), { statusCode: 400 });
}
