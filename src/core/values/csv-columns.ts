/** The columns that a CSV file may have, as its header line names them. */
interface KnownColumns {
  /** As a message lists them. */
  readonly names: readonly string[];
  readonly required?: readonly string[];
  readonly isKnown?: (name: string) => boolean;
}

/**
 * The columns of a header line.
 *
 * @throws Error that says once which are not known, and which are missing
 */
export function checkedColumns(
  columns: string[],
  { names, required = [], isKnown = (name) => names.includes(name) }: KnownColumns,
): string[] {
  const unknown = columns.filter((name) => !isKnown(name));
  const missing = required.filter((name) => !columns.includes(name));
  const faults = [
    ...(unknown.length === 0
      ? []
      : [`The columns ${unknown.join(', ')} are not known, but ${names.join(', ')}.`]),
    ...(missing.length === 0 ? [] : [`The columns ${missing.join(', ')} are missing.`]),
    ...(/[;\t]/.test(unknown.join()) ? ['Commas are expected between columns.'] : []),
  ];
  if (faults.length > 0) throw new Error(faults.join(' '));
  return columns;
}
