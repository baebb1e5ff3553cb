import type { z } from 'zod';

const types: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  object: 'an object',
  string: 'a text',
};

/** What is wrong with a value where its schema does not say it in words of its own. */
export function schemaMessage(issue: z.core.$ZodRawIssue): string {
  if (issue.code === 'unrecognized_keys') return `has unknown fields: ${issue.keys.join(', ')}`;
  if (issue.code !== 'invalid_type') return 'is not valid';
  return issue.input === undefined
    ? 'is required'
    : `must be ${types[issue.expected] ?? `a ${issue.expected}`}`;
}
