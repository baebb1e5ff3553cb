import type { ComponentChildren } from 'preact';
import { type PageRequest, useRenderContext } from '../page.js';
import { consolePath, HiddenFields, Link, pathWith } from './components.js';

export interface Choice {
  readonly value: string;
  readonly label: string;
  readonly count?: number;
}

/** The first choice needs no parameter in the address. */
export function Choices({
  name,
  label,
  choices,
  also = [],
}: {
  readonly name: string;
  readonly label: string;
  readonly choices: readonly Choice[];
  /** Parameters that a choice removes, such as the cursor of a list. */
  readonly also?: readonly string[];
}) {
  const context = useRenderContext();
  const chosen = chosenOf(context, name, choices);
  const others = Object.fromEntries(also.map((parameter) => [parameter, null]));
  return (
    <nav class="nav nav-segmented" aria-label={label}>
      {choices.map(({ value, label: text, count }, index) => (
        <Link
          key={value}
          to={pathWith(context, { ...others, [name]: index === 0 ? null : value })}
          class={`nav-link ${value === chosen ? 'active' : ''}`}
          current={value === chosen && 'true'}
        >
          {text}
          {count !== undefined && <span class="badge ms-1">{count}</span>}
        </Link>
      ))}
    </nav>
  );
}

export function chosenOf<Value extends string>(
  { query }: Pick<PageRequest, 'query'>,
  name: string,
  choices: readonly { readonly value: Value }[],
): Value {
  const [first] = choices;
  if (first === undefined) throw new Error(`${name} has no choices.`);
  return (choices.find(({ value }) => value === query[name]) ?? first).value;
}

/** A form whose fields are parameters of the address. */
export function Filter({
  label,
  keeps = [],
  children,
}: {
  readonly children?: ComponentChildren;
  readonly label: string;
  /** Parameters that stay. */
  readonly keeps?: readonly string[];
}) {
  const { path, query } = useRenderContext();
  const kept = Object.fromEntries(
    keeps.flatMap((name) => (query[name] === undefined ? [] : [[name, query[name]] as const])),
  );
  return (
    <form
      method="get"
      action={consolePath + path}
      class="d-flex flex-wrap gap-2 align-items-center"
      aria-label={label}
    >
      <HiddenFields {...kept} />
      {children}
      <button type="submit" class="btn">
        Filter
      </button>
    </form>
  );
}

/** A filter by the parameter `text`. */
export function TextFilter({
  placeholder,
  ...filter
}: {
  readonly label: string;
  readonly keeps: readonly string[];
  readonly placeholder: string;
}) {
  const { query } = useRenderContext();
  return (
    <Filter {...filter}>
      <input
        class="form-control w-auto"
        type="search"
        name="text"
        value={query['text']?.trim() ?? ''}
        placeholder={placeholder}
        aria-label={placeholder}
      />
    </Filter>
  );
}
