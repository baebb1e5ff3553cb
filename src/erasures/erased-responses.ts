import type { ContactTraces } from '../contacts/contact-traces.js';
import { erasedLeadData } from '../leads/erasure/erased-lead.js';
import { isPlainObject } from '../values/plain-object.js';

const { rawJSON, isRawJSON } = JSON as unknown as {
  readonly rawJSON: (text: string) => unknown;
  readonly isRawJSON: (value: unknown) => boolean;
};

/** Only refused requests name the phone of another lead. */
const refused = '"statusCode":400';

/**
 * Makes of the body of a stored response one that says nothing of erased leads: these are shown without
 * values, and messages lose what names the person. A text without any of it stays as it is.
 */
export function erasedResponses(
  leadIds: ReadonlySet<string>,
  traces: ContactTraces,
): (body: string) => string {
  const eraseFrom = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(eraseFrom);
    if (!isPlainObject(value) || isRawJSON(value)) return value;
    if ('data' in value && leadIds.has(String(value['_id']))) return erasedLeadData(value);
    const entries = Object.entries(value).map(([name, item]) => [
      name,
      name === 'message' ? traces.removedFrom(item) : eraseFrom(item),
    ]);
    return Object.fromEntries(entries) as unknown;
  };
  return (body) => {
    const isAbout = body.includes(refused) || [...leadIds].some((id) => body.includes(id));
    if (!isAbout) return body;
    const value = withExactNumbers(body);
    const before = JSON.stringify(value);
    const left = JSON.stringify(eraseFrom(value));
    return left === before ? body : left;
  };
}

/** Numbers keep their digits, also those that no double holds. */
function withExactNumbers(text: string): unknown {
  return JSON.parse(text, exactNumber) as unknown;
}

function exactNumber(_key: string, value: unknown, context: { source?: string } = {}): unknown {
  return typeof value === 'number' ? rawJSON(context.source ?? '') : value;
}
