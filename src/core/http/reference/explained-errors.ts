import type { ErrorDefinition } from '../errors/error-definition.js';

/** The errors of one status as a list in Markdown: of each its code, its cause and its remedy. */
export function explained(errors: readonly ErrorDefinition[]): string {
  const lines = errors.map(({ code, cause, remedy }) => `- \`${code}\`: ${cause}. *${remedy}.*`);
  return [...new Set(lines)].join('\n');
}
