import { markdownTable } from './markdown-table.js';
import type { ErrorDefinition } from '../core/http/errors/error-definition.js';
import type { ErrorResponses } from '../core/http/errors/error-responses.js';

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
  responses: ErrorResponses,
): string {
  return markdown.replaceAll(marked, (_, begin: string, names: string, end: string) => {
    const errors = names
      .trim()
      .split(' ')
      .flatMap((name) => lists[name] ?? []);
    return `${begin}\n${errorTable(errors, responses)}\n\n${end}`;
  });
}

function errorTable(errors: readonly ErrorDefinition[], responses: ErrorResponses): string {
  const sorted = errors.toSorted((one, other) => one.status - other.status);
  return markdownTable(
    heading,
    sorted.map((error) => row(error, responses)),
  );
}

function row(error: ErrorDefinition, responses: ErrorResponses): string[] {
  const messages = [responses.sample(error).message].flat().map((message) => `\`${message}\``);
  const { status, code, cause, remedy } = error;
  return [String(status), `\`${code}\``, messages.join(', '), cause, remedy];
}
