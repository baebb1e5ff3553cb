import { markdownTable } from '../../values/markdown-table.js';
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
  return markdownTable(heading, sorted.map(row));
}

function row(error: ErrorDefinition): string[] {
  const messages = [sampleBody(error).message].flat().map((message) => `\`${message}\``);
  const { status, code, cause, remedy } = error;
  return [String(status), `\`${code}\``, messages.join(', '), cause, remedy];
}
