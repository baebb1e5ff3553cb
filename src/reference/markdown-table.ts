/** A table in Markdown, its columns padded to the same width in every row. */
export function markdownTable(heading: readonly string[], body: readonly string[][]): string {
  const rows = [heading, ...body];
  const widths = heading.map((_, column) => Math.max(...rows.map((cells) => width(cells, column))));
  const rule = widths.map((length) => '-'.repeat(length));
  const [first, ...rest] = rows.map((cells) =>
    line(widths.map((length, column) => (cells[column] ?? '').padEnd(length))),
  );
  return [first, line(rule), ...rest].join('\n');
}

function width(cells: readonly string[], column: number): number {
  return cells[column]?.length ?? 0;
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
