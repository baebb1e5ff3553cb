import { httpErrors } from '../core/http/errors/http-errors.js';
import { authenticationErrors } from '../core/http/errors/authentication-errors.js';
import type { ErrorDefinition } from '../core/http/errors/domain-error.js';
import type { ErrorResponses } from '../core/http/errors/error-responses.js';
import { idempotencyErrors } from '../core/idempotency/idempotency-key.js';
import { eventErrors } from '../events/feed/event-errors.js';
import { leadErrors } from '../leads/lead-errors.js';
import { reservationErrors } from '../reservations/reservation-errors.js';
import { compoundErrors, unitErrors } from '../units/unit-errors.js';

export const errorLists: Readonly<Record<string, readonly ErrorDefinition[]>> = {
  http: Object.values(httpErrors),
  idempotency: Object.values(idempotencyErrors),
  authentication: Object.values(authenticationErrors),
  leads: Object.values(leadErrors),
  reservations: Object.values(reservationErrors),
  compounds: Object.values(compoundErrors),
  units: Object.values(unitErrors),
  events: Object.values(eventErrors),
};

export function markdownTable(heading: readonly string[], body: readonly string[][]): string {
  const widths = heading.map((_, column) =>
    Math.max(...[heading, ...body].map((cells) => cells[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    `| ${widths.map((width, column) => (cells[column] ?? '').padEnd(width)).join(' | ')} |`;
  const rule = widths.map((width) => '-'.repeat(width));
  return [heading, rule, ...body].map(line).join('\n');
}

const marked = /(<!-- errors:([ \w]+)-->\n)[^]*?(<!-- \/errors -->)/g;
const heading = ['Status', '`x-error-code`', '`message`', 'When', 'What to do'];

/** Fills the tables between `<!-- errors: leads -->` and `<!-- /errors -->`. */
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
  const rows = errors
    .toSorted((one, other) => one.status - other.status)
    .map((error) => {
      const messages = [responses.sample(error).message].flat().map((message) => `\`${message}\``);
      const { status, code, cause, remedy } = error;
      return [String(status), `\`${code}\``, messages.join(', '), cause, remedy];
    });
  return markdownTable(heading, rows);
}
