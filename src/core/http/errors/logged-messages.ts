import type { Message } from '../../localization/messages.service.js';
import { isIdentifier } from '../server/ignored-fields.js';
import type { DomainError } from './domain-error.js';

/** Stands for a value that a request sent. */
const mask = '•••';

/** Placeholders of messages whose values are the service's own. */
const ownValues = new Set([
  'count',
  'digits',
  'field',
  'fields',
  'last',
  'limit',
  'maximum',
  'minimum',
  'most',
  'next',
  'operation',
  'values',
]);

/** Placeholders for names of fields, which a request may have made up. */
const names = new Set(['property', 'key']);

/**
 * The messages of an error without anything that the request sent or that is stored of a person: a phone becomes
 * `•••`. A new placeholder is masked until it is named above.
 *
 * @param limit how many at most
 */
export function loggedMessages({ messages }: DomainError, limit: number): Message[] {
  return messages.slice(0, limit).map(({ key, values = {} }) => {
    const masked = Object.entries(values).map(([name, value]) => {
      const isShown = ownValues.has(name) || (names.has(name) && isIdentifier(String(value)));
      return [name, isShown ? value : mask] as const;
    });
    return { key, values: Object.fromEntries(masked) };
  });
}
