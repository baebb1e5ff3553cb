import { STATUS_CODES } from 'node:http';
import type { ErrorDefinition } from '../../core/errors/domain-error.js';
import type { ErrorResponses } from '../../core/errors/error-responses.js';
import type { Page } from './document-pages.js';
import type { OperationLink } from './operations.js';

const callbackId = 'reportReservationChange';

/** Returns the table of all codes, and a page for each: clients look up the `x-error-code` of a response in them. */
export function errorPages(
  errors: readonly ErrorDefinition[],
  operations: readonly OperationLink[],
  responses: ErrorResponses,
): Page[] {
  const sorted = errors.toSorted(
    (one, other) => one.status - other.status || one.code.localeCompare(other.code),
  );
  const pages = sorted.map((error) => ({
    path: `errors/${error.code}`,
    language: 'en-us' as const,
    markdown: errorText(error, operations, responses),
  }));
  return [{ path: 'errors', language: 'en-us', markdown: errorTable(sorted) }, ...pages];
}

function errorTable(errors: readonly ErrorDefinition[]): string {
  const rows = errors.map(
    ({ code, status, cause }) =>
      `| [\`${code}\`](errors/${code}.md) | ${status} | ${cause.replaceAll('|', String.raw`\|`)} |`,
  );
  return `# Errors

Every error has the header \`x-error-code\`, which is the same in every language. Select a code for
its cause, the remedy and a sample.

- \`key.*\` (401, 429): the service could not authenticate the request by its key.
- \`authentication.*\` (403): the key is valid, but does not permit the request.
- All other codes begin with the kind of record or the part of the request that they concern.

| \`x-error-code\` | Status | Cause |
| --- | --- | --- |
${rows.join('\n')}
`;
}

function errorText(
  error: ErrorDefinition,
  operations: readonly OperationLink[],
  responses: ErrorResponses,
): string {
  const { code, status, cause, remedy, headers = {} } = error;
  const reason = STATUS_CODES[status] ?? '';
  const sent = Object.entries({ 'x-error-code': code, 'content-language': 'en-us', ...headers });
  const head = sent.map(([name, value]) => `${name}: ${value}`).join('\n');
  const body = (language: 'en-us' | 'ar-eg') =>
    JSON.stringify(responses.sampleBody(error, language), null, 2);
  return `# ${code}

**${status} ${reason}.** ${cause}.

## What to do

${remedy}.${isFinal(status) ? ' Do not retry the request unchanged.' : ''}

## Sample

\`\`\`http
HTTP/1.1 ${status} ${reason}
${head}

${body('en-us')}
\`\`\`

${isAlwaysEnglish(code, operations) ? '' : arabicSample(body('ar-eg'))}## Operations

${operationList(code, operations)}

All codes: [errors](../errors.md)
`;
}

function arabicSample(body: string): string {
  return `With the header \`language: ar-eg\`:

\`\`\`json
${body}
\`\`\`

`;
}

/** Messages of the callback are always in English (rule HTTP-4). */
function isAlwaysEnglish(code: string, operations: readonly OperationLink[]): boolean {
  const returning = operations.filter(({ errorCodes }) => errorCodes.includes(code));
  return returning.length > 0 && returning.every(({ id }) => id === callbackId);
}

/** Clients retry by status, so that they can handle codes that they do not know. */
function isFinal(status: number): boolean {
  return status < 500 && ![408, 409, 429].includes(status);
}

function operationList(code: string, operations: readonly OperationLink[]): string {
  const returning = operations.filter(({ errorCodes }) => errorCodes.includes(code));
  if (returning.length === 0) return 'The request reaches no operation.';
  return returning
    .map(({ summary, route, fragment }) => `- [${summary}](../#${fragment}): \`${route}\``)
    .join('\n');
}
