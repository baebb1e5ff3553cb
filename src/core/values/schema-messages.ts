import type { z } from 'zod';

const types: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  object: 'an object',
  string: 'a text',
};

/** The message of a zod issue without its own message. */
export function schemaMessage(issue: z.core.$ZodRawIssue): string {
  if (issue.code === 'unrecognized_keys') return `has unknown fields: ${issue.keys.join(', ')}`;
  if (issue.code !== 'invalid_type') return 'is not valid';
  return issue.input === undefined
    ? 'is required'
    : `must be ${types[issue.expected] ?? `a ${issue.expected}`}`;
}
