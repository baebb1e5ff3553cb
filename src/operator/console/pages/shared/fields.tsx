import type { ComponentChildren } from 'preact';
import { dayOf, type Field, isViewText, namesIn, pathOf } from '../../../views/field.js';
import type { TextKey } from '../../texts/text.js';
import type { PageRequest } from '../page.js';
import { maskedName, maskedUrl, maskedValue } from './masking.js';
import { Card, Change, Code, DataTable, Facts, Link, Pages, When } from './parts.js';

/** A field of a description, or one that only a page can show. */
type ShownField<T> = Field<T> | { readonly title: TextKey; show(item: T): ComponentChildren };

/** Who reads the fields. */
export interface FieldReader {
  readonly request: PageRequest;
  /** Where links lead to. */
  readonly organizationId?: string;
  /** Whether personal data is shown. */
  readonly isShown?: boolean;
}

/** One thing: its titles and values. */
export function FieldList<T>({
  fields,
  item,
  ...reader
}: FieldReader & { readonly fields: readonly ShownField<NoInfer<T>>[]; readonly item: T }) {
  const facts = fields.map(
    (field) => [reader.request.text(field.title), valueOf(field, item, reader)] as const,
  );
  return <Facts facts={facts} />;
}

/** A card with a table of things, and links to the parts of a list that has several. */
export function FieldTable<T>({
  title,
  caption,
  fields,
  items,
  next = null,
  part,
  ifEmpty,
  isHiddenIfEmpty = false,
  ...reader
}: FieldReader & {
  readonly title: string;
  readonly caption?: string;
  readonly fields: readonly ShownField<NoInfer<T>>[];
  readonly items: readonly T[];
  /** Where the list continues; null at its end. */
  readonly next?: string | null;
  /** The parameter of the address that says where it continues; without it there is only a note. */
  readonly part?: string;
  readonly ifEmpty?: string;
  readonly isHiddenIfEmpty?: boolean;
}) {
  if (isHiddenIfEmpty && items.length === 0) return null;
  const { request } = reader;
  const { text } = request;
  const columns = fields.map((field) => {
    const name = text(field.title);
    return 'kind' in field && field.kind === 'number' ? { name, isNumber: true as const } : name;
  });
  const rows = items.map((item) => fields.map((field) => valueOf(field, item, reader)));
  const names = caption === undefined ? { label: title } : { caption };
  return (
    <Card title={title}>
      <DataTable {...{ request, columns, rows, ...names, ...(ifEmpty && { ifEmpty }) }} />
      {part !== undefined && <Pages request={request} name={part} next={next} label={title} />}
      {part === undefined && next !== null && (
        <p class="note">{text('shared.more', { count: items.length })}</p>
      )}
    </Card>
  );
}

function valueOf<T>(field: ShownField<T>, item: T, reader: FieldReader): ComponentChildren {
  if ('show' in field) return field.show(item);
  const { text, language } = reader.request;
  const shown =
    field.kind === 'name' ? (
      <bdi dir="auto">{joined(namesIn(field.of(item), language))}</bdi>
    ) : (
      unlinked(field, item, reader)
    );
  const path = pathOf(field, item, reader.organizationId ?? '');
  const linked = path === null ? shown : <Link to={path}>{shown}</Link>;
  const [mood, note] = [field.mood?.(item), field.note?.(item) ?? null];
  return (
    <>
      {mood === undefined ? linked : <span class={mood}>{linked}</span>}
      {note !== null && ` (${isViewText(note) ? text(note) : note})`}
    </>
  );
}

function unlinked<T>(
  field: Exclude<Field<T>, { readonly kind: 'name' }>,
  item: T,
  { request, isShown = false }: FieldReader,
) {
  const { text, formats } = request;
  switch (field.kind) {
    case 'time':
      return <When request={request} time={field.of(item)} />;
    case 'day':
      return dayOf(field.of(item)) ?? '–';
    case 'number':
      return formats.number(field.of(item) ?? null);
    case 'duration':
      return orDash(field.of(item), (milliseconds) => formats.duration(milliseconds));
    case 'url':
      return orDash(field.of(item), (address) => <Code>{maskedUrl(address)}</Code>);
    case 'status':
      return joined([field.of(item) ?? []].flat().map((key) => text(key)));
    case 'change':
      return orDash(field.of(item), (change) => <Change {...change} />);
    case 'personal':
      return <Personal value={field.of(item)} isShown={isShown} />;
    case 'code':
      return <Code>{joined(field.of(item))}</Code>;
    case 'text':
      return <Lines value={field.of(item)} />;
    default:
      return field satisfies never;
  }
}

/** Several texts are no sentence: each has a line of its own. */
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

function orDash<V>(value: V | null | undefined, written: (value: V) => ComponentChildren) {
  return value === null || value === undefined ? '–' : written(value);
}

function joined(value: string | number | readonly string[] | null | undefined): string {
  return [value ?? []].flat().join(', ') || '–';
}

/**
 * A value, a list of values, or the fields of an object, whose names may be personal, too. A phone has no
 * letters: without `dir` it would be written from right to left.
 */
function Personal({ value, isShown }: { readonly value: unknown; readonly isShown: boolean }) {
  const written = (one: unknown) => <bdi dir="auto">{maskedValue(one, isShown)}</bdi>;
  if (typeof value !== 'object' || value === null) return written(value);
  const fields = Object.entries(value);
  if (fields.length === 0) return <>–</>;
  const isList = Array.isArray(value);
  return (
    <ul class="plain">
      {fields.map(([name, one], index) => (
        <li key={index}>
          {!isList && <Code>{maskedName(name, isShown)}</Code>}
          {!isList && ': '}
          {written(one)}
        </li>
      ))}
    </ul>
  );
}
