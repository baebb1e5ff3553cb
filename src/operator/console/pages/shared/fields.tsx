import type { ComponentChildren } from 'preact';
import { dayOf, type ViewField, isViewText, namesIn, pathOf } from '../../../views/field.js';
import type { TextKey } from '../../texts/text.js';
import { type Reader, useReader } from '../page.js';
import { maskedName, maskedUrl, maskedValue } from './masking.js';
import { Card, ValueChange, Code, DataTable, Facts, Link, numeric, Pages, When } from './parts.js';

/** A field of a description, or one that only a page can show. */
export type ShownField<T> =
  | ViewField<T>
  | { readonly title: TextKey; readonly isNumber?: true; show(item: T): ComponentChildren };

interface Options {
  readonly organizationId?: string;
  readonly isShown?: boolean;
}

export function FieldList<T>({
  fields,
  item,
  ...options
}: Options & { readonly fields: readonly ShownField<NoInfer<T>>[]; readonly item: T }) {
  const reader = useReader();
  const facts = fields.map((field) => {
    const isMissing = 'kind' in field && field.kind === 'time' && (field.of(item) ?? '') === '';
    const value = isMissing ? null : valueOf(field, item, reader, options);
    return [reader.text(field.title), value] as const;
  });
  return <Facts facts={facts} />;
}

export function FieldTable<T>({
  title,
  caption,
  fields,
  items,
  next = null,
  part,
  ifEmpty,
  children,
  ...options
}: Options & {
  readonly title: string;
  readonly caption?: string;
  readonly fields: readonly ShownField<NoInfer<T>>[];
  readonly items: readonly T[];
  /** The cursor of the next part; null at the end of the list. */
  readonly next?: string | null;
  /** The query parameter of the cursor; without it a note says that there are more. */
  readonly part?: string;
  readonly ifEmpty?: string;
  readonly children?: ComponentChildren;
}) {
  const reader = useReader();
  const { text } = reader;
  const columns = fields.map((field) => {
    const isNumber = 'kind' in field ? field.kind === 'number' : field.isNumber;
    return isNumber ? numeric(text(field.title)) : text(field.title);
  });
  const rows = items.map((item) => fields.map((field) => valueOf(field, item, reader, options)));
  const name = caption === undefined ? { label: title } : { caption };
  return (
    <Card title={title}>
      <DataTable {...{ columns, rows, ifEmpty, ...name }} />
      {children}
      {part !== undefined && <Pages name={part} next={next} label={title} />}
      {part === undefined && next !== null && (
        <p class="note">{text('shared.more', { count: items.length })}</p>
      )}
    </Card>
  );
}

function valueOf<T>(
  field: ShownField<T>,
  item: T,
  reader: Reader,
  { organizationId = '', isShown = false }: Options,
): ComponentChildren {
  if ('show' in field) return field.show(item);
  const plain = plainValue(field, item, reader, isShown);
  const path = pathOf(field, item, organizationId);
  const linked = path === null ? plain : <Link to={path}>{plain}</Link>;
  const [severity, note] = [field.severity?.(item), field.note?.(item) ?? null];
  return (
    <>
      {severity === undefined ? linked : <span class={severity}>{linked}</span>}
      {note !== null && ` (${isViewText(note) ? reader.text(note) : note})`}
    </>
  );
}

function plainValue<T>(
  field: ViewField<T>,
  item: T,
  { text, formats, language }: Reader,
  isShown: boolean,
): ComponentChildren {
  switch (field.kind) {
    case 'time':
      return <When time={field.of(item)} />;
    case 'day':
      return dayOf(field.of(item)) ?? '–';
    case 'number':
      return formats.number(field.of(item));
    case 'duration':
      return formats.duration(field.of(item));
    case 'url':
      return orDash(field.of(item), (address) => <Code>{maskedUrl(address)}</Code>);
    case 'status':
      return joined([field.of(item) ?? []].flat().map((key) => text(key)));
    case 'change':
      return orDash(field.of(item), (change) => <ValueChange {...change} />);
    case 'personal':
      return <Personal value={field.of(item)} isShown={isShown} />;
    case 'code':
      return <Code>{joined(field.of(item))}</Code>;
    case 'name':
      return <Lines value={namesIn(field.of(item), language)} />;
    case 'text':
      return <Lines value={field.of(item)} />;
    default:
      return field satisfies never;
  }
}

/** Each of several texts has a line of its own. */
function Lines({
  value,
}: {
  readonly value: string | number | readonly string[] | null | undefined;
}) {
  const lines = [value ?? []].flat();
  if (lines.length < 2) return <bdi dir="auto">{joined(lines.map(String))}</bdi>;
  return (
    <ul class="plain">
      {lines.map((line) => (
        <li key={line}>
          <bdi dir="auto">{line}</bdi>
        </li>
      ))}
    </ul>
  );
}

function orDash<V>(value: V | null | undefined, shown: (value: V) => ComponentChildren) {
  return value === null || value === undefined ? '–' : shown(value);
}

function joined(value: string | number | readonly string[] | null | undefined): string {
  return [value ?? []].flat().join(', ') || '–';
}

/**
 * A value, a list, or the fields of an object, whose names may be personal, too. A phone number has no letters:
 * without `dir` an Arabic page would show it reversed.
 */
function Personal({ value, isShown }: { readonly value: unknown; readonly isShown: boolean }) {
  const shown = (one: unknown) => <bdi dir="auto">{maskedValue(one, isShown)}</bdi>;
  if (typeof value !== 'object' || value === null) return shown(value);
  const fields = Object.entries(value);
  if (fields.length === 0) return <>–</>;
  const isList = Array.isArray(value);
  return (
    <ul class="plain">
      {fields.map(([name, one], index) => (
        <li key={index}>
          {!isList && <Code>{maskedName(name, isShown)}</Code>}
          {!isList && ': '}
          {shown(one)}
        </li>
      ))}
    </ul>
  );
}
