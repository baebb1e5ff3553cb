import type { ComponentChildren } from 'preact';
import { decodeCursor, type KeysetRequest } from '../../../../core/database/documents/keyset.js';
import { type PageRequest, type StringValues, useRenderContext } from '../page.js';

export const consolePath = '/console';

const itemsPerPage = 25;

interface WithChildren {
  readonly children?: ComponentChildren;
}

export function Card({ title, children }: WithChildren & { readonly title: string }) {
  return (
    <section class="card">
      <h2>{title}</h2>
      {children}
    </section>
  );
}

/** Also posts the session's token, without which a form is rejected. */
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
  readonly role?: 'search';
}) {
  const { formToken } = useRenderContext();
  const hidden = { ...(formToken !== '' && { token: formToken }), ...fields };
  return (
    <form method="post" action={consolePath + to} {...attributes}>
      {Object.entries(hidden).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      {children}
      <button type="submit" class={isPrimary ? undefined : 'plain'}>
        {label}
      </button>
    </form>
  );
}

export function Timestamp({ time }: { readonly time: Date | string | null | undefined }) {
  const { formats } = useRenderContext();
  const date = time ? new Date(time) : null;
  if (date === null || Number.isNaN(date.getTime())) return <>–</>;
  return <time dateTime={date.toISOString()}>{formats.time(date)}</time>;
}

export function Link({
  to,
  current = false,
  children,
}: WithChildren & {
  /** Path below `/console`. */
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

/** A dash stands for a missing status. */
export function ValueChange({ from, to }: { readonly from: string | null; readonly to: string }) {
  return (
    <span dir="ltr">
      <code>{from ?? '–'}</code> → <code>{to}</code>
    </span>
  );
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
  const { path, query, text } = useRenderContext();
  const { [name]: shown, language: _language, ...others } = query;
  if (next === null && shown === undefined) return null;
  const to = (part: StringValues) =>
    `${path}?${new URLSearchParams({ ...others, ...part }).toString()}`;
  return (
    <p class="pages">
      {shown !== undefined && <Link to={to({})}>{`${text('shared.first')}: ${label}`}</Link>}
      {next !== null && <Link to={to({ [name]: next })}>{`${text('shared.next')}: ${label}`}</Link>}
    </p>
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
