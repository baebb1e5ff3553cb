import type { ErrorDefinition } from '../errors/error-definition.js';
import { sampleBody } from '../errors/error-response.js';

const marked = /(<!-- errors:([ \w]+)-->\n)[^]*?(<!-- \/errors -->)/g;
const heading = ['Status', '`x-error-code`', '`message`', 'When', 'What to do'];

/**
 * Fills the tables of errors in a guide, between `<!-- errors: leads -->` and `<!-- /errors -->`.
 *
 * @param lists the errors of each name that a marker may have
 */
export function fillErrorTables(
  markdown: string,
  lists: Readonly<Record<string, readonly ErrorDefinition[]>>,
): string {
  return markdown.replaceAll(marked, (_, begin: string, names: string, end: string) => {
    const errors = names
      .trim()
      .split(' ')
      .flatMap((name) => lists[name] ?? []);
    return `${begin}\n${errorTable(errors)}\n\n${end}`;
  });
}

function errorTable(errors: readonly ErrorDefinition[]): string {
  const sorted = errors.toSorted((one, other) => one.status - other.status);
  const rows = [heading, ...sorted.map(row)];
  const widths = heading.map((_, column) => Math.max(...rows.map((cells) => width(cells, column))));
  const rule = widths.map((length) => '-'.repeat(length));
  const [first, ...rest] = rows.map((cells) =>
    line(widths.map((length, column) => (cells[column] ?? '').padEnd(length))),
  );
  return [first, line(rule), ...rest].join('\n');
}

function row(error: ErrorDefinition): string[] {
  const messages = [sampleBody(error).message].flat().map((message) => `\`${message}\``);
  const { status, code, cause, remedy } = error;
  return [String(status), `\`${code}\``, messages.join(', '), cause, remedy];
}

function width(cells: readonly string[], column: number): number {
  return cells[column]?.length ?? 0;
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
