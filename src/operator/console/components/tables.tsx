import type { ComponentChildren } from 'preact';
import { dayOf, namesIn, pathOf, type ViewField } from '../../views/view-field.js';
import { type RenderContext, useRenderContext } from '../page.js';
import { Badge, Card, Copyable, Empty, Link, Pagination, Time } from './components.js';
import { formatDuration, formatNumber } from './formats.js';
import { maskedName, maskedUrl, maskedValue } from './masking.js';

/** Either a field of a view, or one that only a page can show. */
export type PageField<T> =
  | ViewField<T>
  | {
      readonly title: string;
      readonly isNumber?: true;
      show(item: T, context: RenderContext): ComponentChildren;
    };

interface Fields<T> {
  readonly fields: readonly PageField<NoInfer<T>>[];
}

/** Omits fields without a value. */
export function FieldList<T>({ fields, item }: Fields<T> & { readonly item: T }) {
  const context = useRenderContext();
  return (
    <dl class="datagrid mb-0">
      {fields.map((field) => {
        const value = isMissing(field, item) ? null : valueOf(field, item, context, true);
        if ((value ?? false) === false || value === '') return null;
        return (
          <div key={field.title} class="datagrid-item">
            <dt class="datagrid-title">{field.title}</dt>
            <dd class="datagrid-content">{value}</dd>
          </div>
        );
      })}
    </dl>
  );
}

function isMissing<T>(field: PageField<T>, item: T): boolean {
  if (!('kind' in field)) return false;
  const value: unknown = field.of(item);
  return (
    value === null ||
    value === undefined ||
    value === '' ||
    (Array.isArray(value) && value.length === 0)
  );
}

/** One line for each record; on phones, each record becomes a list of titles and values. */
export function Table<T>({
  label,
  fields,
  items,
}: Fields<T> & { readonly label: string; readonly items: readonly T[] }) {
  const context = useRenderContext();
  return (
    <div class="table-responsive" role="region" aria-label={label} tabIndex={0}>
      <table class="table table-vcenter table-mobile-md card-table" aria-label={label}>
        <thead>
          <tr>
            {fields.map((field) => (
              <th key={field.title} scope="col" class={classOf(field)}>
                {field.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {items.map((item, row) => (
            <tr key={row}>
              {fields.map((field) => (
                <td key={field.title} data-label={field.title} class={classOf(field)}>
                  {valueOf(field, item, context)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A card with a table, or with `empty`, which says what will be shown there. */
export function TableCard<T>({
  title,
  label,
  note,
  actions,
  empty,
  items,
  hasMore = false,
  next = null,
  part,
  fields,
}: Fields<T> & {
  readonly title?: string;
  /** For screen readers, where the page's heading is the title. */
  readonly label?: string;
  readonly note?: ComponentChildren;
  readonly actions?: ComponentChildren;
  readonly empty: readonly [title: string, text: ComponentChildren];
  readonly items: readonly T[];
  /** Says that there are further items, which the page does not show. */
  readonly hasMore?: boolean;
  readonly next?: string | null;
  /** Query parameter of the cursor; without it there is no link to the next part. */
  readonly part?: string;
}) {
  const name = title ?? label ?? '';
  const isCut = hasMore || (part === undefined && next !== null);
  return (
    <Card
      isFlush
      {...(title !== undefined && { title })}
      {...(note !== undefined && { note })}
      {...(actions !== undefined && { actions })}
    >
      {items.length === 0 ? (
        <Empty title={empty[0]}>{empty[1]}</Empty>
      ) : (
        <Table label={name} fields={fields} items={items} />
      )}
      {isCut && <p class="card-footer mb-0">Only the first {items.length} are shown.</p>}
      {part !== undefined && <Pagination name={part} next={next} label={name} />}
    </Card>
  );
}

/** A line that opens its details by a click. */
export function DetailsLine({
  line,
  isOpen = false,
  children,
}: {
  readonly line: readonly ComponentChildren[];
  readonly isOpen?: boolean;
  readonly children: ComponentChildren;
}) {
  return (
    <li class="list-group-item">
      <details open={isOpen}>
        <summary>
          <span class="line">
            {line.map((cell, index) => (
              <span key={index}>{cell}</span>
            ))}
          </span>
        </summary>
        <div class="pt-3">{children}</div>
      </details>
    </li>
  );
}

function classOf<T>(field: PageField<T>): string | undefined {
  const isNumber =
    'show' in field ? field.isNumber : field.kind === 'number' || field.kind === 'duration';
  return isNumber === true ? 'text-md-end' : undefined;
}

function valueOf<T>(
  field: PageField<T>,
  item: T,
  context: RenderContext,
  isDetailed = false,
): ComponentChildren {
  if ('show' in field) return field.show(item, context);
  const path = pathOf(field, item, context.params['organization'] ?? '');
  const look = { isShown: context.isShown, isLinked: path !== null, isDetailed };
  const plain = plainValue(field, item, look);
  const linked = path === null ? plain : <Link to={path}>{plain}</Link>;
  const [severity, note] = [field.severity?.(item), field.note?.(item) ?? null];
  return (
    <>
      {severity === undefined ? linked : <Badge severity={severity}>{linked}</Badge>}
      {note !== null && <span class="text-secondary"> {note}</span>}
    </>
  );
}

interface Look {
  readonly isShown: boolean;
  readonly isLinked: boolean;
  /** Lists of fields have room for the exact time. */
  readonly isDetailed: boolean;
}

function plainValue<T>(
  field: ViewField<T>,
  item: T,
  { isShown, isLinked, isDetailed }: Look,
): ComponentChildren {
  switch (field.kind) {
    case 'time':
      return <Time time={field.of(item)} isExact={isDetailed} />;
    case 'day':
      return dayOf(field.of(item)) ?? '–';
    case 'number':
      return formatNumber(field.of(item));
    case 'duration':
      return formatDuration(field.of(item));
    case 'url':
      return <code>{joinValues([field.of(item) ?? []].flat().map(maskedUrl))}</code>;
    case 'status':
      return joinValues(field.of(item));
    case 'personal':
      return <Personal value={field.of(item)} isShown={isShown} />;
    case 'code':
      return <CodeValue value={field.of(item)} isLinked={isLinked} />;
    case 'name':
      return <Lines lines={namesIn(field.of(item), 'en-us')} />;
    case 'text':
      return <Lines lines={[field.of(item) ?? []].flat().map(String)} />;
    default:
      return field satisfies never;
  }
}

/** An id that is no link is copied by a click. */
function CodeValue({
  value,
  isLinked,
}: {
  readonly value: string | number | readonly string[] | null | undefined;
  readonly isLinked: boolean;
}) {
  if (isLinked || typeof value !== 'string' || value === '')
    return <code>{joinValues(value)}</code>;
  return <Copyable value={value} />;
}

/** Shows each string on its own line. */
export function Lines({ lines }: { readonly lines: readonly ComponentChildren[] }) {
  if (lines.length < 2) return <bdi>{lines[0] || '–'}</bdi>;
  return (
    <ul class="list-unstyled mb-0">
      {lines.map((line, index) => (
        <li key={index}>
          <bdi>{line}</bdi>
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
  const lines = Object.entries(value).map(([name, member]) => (
    <>
      {!Array.isArray(value) && <code>{`${maskedName(name, isShown)}: `}</code>}
      {maskedValue(member, isShown)}
    </>
  ));
  return <Lines lines={lines} />;
}
