import { type ComponentChildren, Fragment } from 'preact';
import { dayOf, type ViewField, namesIn, pathOf } from '../../../views/view-field.js';
import type { TextKey } from '../../texts/text.js';
import { type RenderContext, useRenderContext } from '../page.js';
import { maskedName, maskedUrl, maskedValue } from './masking.js';
import { Card, Code, Link, Pagination, Timestamp } from './components.js';

/** A `name` is not translated. */
export type FieldLabel = { readonly title: TextKey } | { readonly name: string };

/** Either a field of a view, or one that only a page can show. */
export type PageField<T> =
  | ViewField<T>
  | (FieldLabel & {
      readonly isNumber?: true;
      show(item: T, context: RenderContext): ComponentChildren;
    });

interface Fields<T> {
  readonly fields: readonly PageField<NoInfer<T>>[];
}

/** With a title, the list gets its own card. */
export function FieldList<T>({
  title,
  fields,
  item,
}: Fields<T> & { readonly title?: string; readonly item: T }) {
  const context = useRenderContext();
  const list = (
    <dl>
      {fields.map((field) => {
        const value = isMissingTime(field, item) ? null : valueOf(field, item, context);
        if ((value ?? false) === false || value === '') return null;
        const name = titleOf(field, context);
        return (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </Fragment>
        );
      })}
    </dl>
  );
  return title === undefined ? list : <Card title={title}>{list}</Card>;
}

function isMissingTime<T>(field: PageField<T>, item: T): boolean {
  return 'kind' in field && field.kind === 'time' && (field.of(item) ?? '') === '';
}

interface TableProps<T> extends Fields<T> {
  readonly title: string;
  readonly caption?: string | undefined;
  readonly items: readonly T[];
}

/** On phones, each row becomes a card with the first cell as its title. */
export function Table<T>({ title, caption, fields, items }: TableProps<T>) {
  const context = useRenderContext();
  const columns = fields.map((field) => ({ name: titleOf(field, context), ...classOf(field) }));
  if (items.length === 0) return <p class="note">{context.text('shared.noItems')}</p>;
  return (
    <div class="scroll" role="region" aria-label={title} tabIndex={0}>
      <table aria-label={caption === undefined ? title : undefined}>
        {caption !== undefined && <caption>{caption}</caption>}
        <thead>
          <tr>
            {columns.map(({ name, ...attributes }) => (
              <th key={name} scope="col" {...attributes}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {items.map((item, row) => (
            <tr key={row}>
              {fields.map((field, index) => {
                const value = valueOf(field, item, context);
                if (index === 0) return <th scope="row">{value}</th>;
                const { name, ...attributes } = columns[index] ?? {};
                return (
                  <td data-title={name} {...attributes}>
                    <div>{value}</div>
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function FieldTable<T>({
  items,
  limit = items.length,
  hasMore = items.length > limit,
  next = null,
  part,
  ...table
}: TableProps<T> & {
  /** Omits further items and says so in a note. */
  readonly limit?: number;
  readonly hasMore?: boolean;
  readonly next?: string | null;
  /** Query parameter of the cursor; without it there is no link to the next part. */
  readonly part?: string;
}) {
  const { text } = useRenderContext();
  const shown = items.slice(0, limit);
  const isCut = hasMore || (part === undefined && next !== null);
  return (
    <Card title={table.title}>
      <Table {...table} items={shown} />
      {part !== undefined && <Pagination name={part} next={next} label={table.title} />}
      {isCut && <p class="note">{text('shared.more', { count: shown.length })}</p>}
    </Card>
  );
}

export function titleOf(field: FieldLabel | ViewField<never>, { text }: RenderContext): string {
  if ('name' in field) return field.name;
  return 'kind' in field ? field.title : text(field.title);
}

function classOf<T>(field: PageField<T>) {
  const isNumber =
    'show' in field ? field.isNumber : field.kind === 'number' || field.kind === 'duration';
  return isNumber ? { class: 'number' } : {};
}

function valueOf<T>(field: PageField<T>, item: T, context: RenderContext): ComponentChildren {
  if ('show' in field) return field.show(item, context);
  const plain = plainValue(field, item, context);
  const path = pathOf(field, item, context.params['organization'] ?? '');
  const linked = path === null ? plain : <Link to={path}>{plain}</Link>;
  const [severity, note] = [field.severity?.(item), field.note?.(item) ?? null];
  return (
    <>
      {severity === undefined ? linked : <span class={severity}>{linked}</span>}
      {note !== null && ` (${note})`}
    </>
  );
}

function plainValue<T>(
  field: ViewField<T>,
  item: T,
  { formats, language, isShown }: RenderContext,
): ComponentChildren {
  switch (field.kind) {
    case 'time':
      return <Timestamp time={field.of(item)} />;
    case 'day':
      return dayOf(field.of(item)) ?? '–';
    case 'number':
      return formats.number(field.of(item));
    case 'duration':
      return formats.duration(field.of(item));
    case 'url':
      return <Code>{joinValues([field.of(item) ?? []].flat().map(maskedUrl))}</Code>;
    case 'status':
      return joinValues(field.of(item));
    case 'personal':
      return <Personal value={field.of(item)} isShown={isShown} />;
    case 'code':
      return <Code>{joinValues(field.of(item))}</Code>;
    case 'name':
      return <Lines lines={namesIn(field.of(item), language)} />;
    case 'text':
      return <Lines lines={[field.of(item) ?? []].flat().map(String)} />;
    default:
      return field satisfies never;
  }
}

/** Shows each string on its own line. Arabic pages would show a phone number reversed without `bdi`. */
export function Lines({ lines }: { readonly lines: readonly ComponentChildren[] }) {
  if (lines.length < 2) return <bdi dir="auto">{lines[0] || '–'}</bdi>;
  return (
    <ul class="plain">
      {lines.map((line, index) => (
        <li key={index}>
          <bdi dir="auto">{line}</bdi>
        </li>
      ))}
    </ul>
  );
}

function joinValues(value: string | number | readonly string[] | null | undefined): string {
  return [value ?? []].flat().join(', ') || '–';
}

/** Also masks the names of an object's fields, which may be personal. */
function Personal({ value, isShown }: { readonly value: unknown; readonly isShown: boolean }) {
  if (typeof value !== 'object' || value === null) {
    return <Lines lines={[maskedValue(value, isShown)]} />;
  }
  const lines = Object.entries(value).map(([name, one]) => (
    <>
      {!Array.isArray(value) && <Code>{`${maskedName(name, isShown)}: `}</Code>}
      {maskedValue(one, isShown)}
    </>
  ));
  return <Lines lines={lines} />;
}
