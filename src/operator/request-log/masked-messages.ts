import type { LocalizedMessage } from '../../core/localization/messages.service.js';
import { isIdentifier } from '../../core/validation/dto-reader.js';
import type { DomainError } from '../../core/errors/domain-error.js';

const mask = '•••';

/** Placeholders whose values come from the service itself. */
const safePlaceholders = new Set([
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

/** Placeholders for names, which clients may invent. */
const namePlaceholders = new Set(['property', 'key']);

/** Masks values of clients; a new placeholder is masked until it is listed above. */
export function maskMessages({ messages }: DomainError, limit: number): LocalizedMessage[] {
  return messages.slice(0, limit).map(({ key, values = {} }) => {
    const masked = Object.entries(values).map(([name, value]) => {
      const isShown =
        safePlaceholders.has(name) || (namePlaceholders.has(name) && isIdentifier(String(value)));
      return [name, isShown ? value : mask] as const;
    });
    return { key, values: Object.fromEntries(masked) };
  });
}
