import type { FastifyRequest } from 'fastify';
import { reservationStatuses } from '../reservation-status.js';
import { isPlainObject } from '../../core/values/json.js';
import { isAmount } from '../../core/values/numbers.js';
import { isExternalId, isObjectId } from '../../core/values/text.js';
import { isChequeNumber } from '../cheques/cheque-number.js';
import { chequeStatuses } from '../transitions.js';
import type { CallbackRecord, RefusedField } from './callback-log.schema.js';

const loggedFieldChecks = new Map<string, (value: unknown) => boolean>([
  ['reservationId', (value) => typeof value === 'string' && isObjectId(value)],
  ['installmentId', isExternalId],
  ['chequeNumber', isChequeNumber],
  ['chequeAmount', isAmount],
  ['chequeStatus', (value) => isSpellingOf(chequeStatuses, value)],
  ['reservationStatus', (value) => isSpellingOf(reservationStatuses, value)],
]);

export function callbackRecord({ id, body }: Pick<FastifyRequest, 'id' | 'body'>): CallbackRecord {
  const fields = isPlainObject(body) ? Object.entries(body) : [];
  const known = fields.filter(([field]) => loggedFieldChecks.has(field));
  // An optional field that is null counts as not sent (rule HTTP-9).
  const sent = known.filter(([field, value]) => value !== null || field === 'reservationId');
  return {
    requestId: id,
    payload: Object.fromEntries(sent.filter(isLogged)),
    refusedFields: sent.filter((entry) => !isLogged(entry)).map(refusedField),
    otherFields: fields.length - known.length,
  };
}

function isLogged([field, value]: [string, unknown]): boolean {
  return loggedFieldChecks.get(field)?.(value) === true;
}

/** A spelling may repeat separators, but the log must stay small. */
const maxSpellingLength = 64;

/** Ignores case, blanks and separators. */
function isSpellingOf(statuses: readonly string[], value: unknown): boolean {
  if (typeof value !== 'string' || value.length > maxSpellingLength) return false;
  const letters = lettersOf(value);
  return statuses.some((status) => lettersOf(status) === letters);
}

function lettersOf(status: string): string {
  return status.toLowerCase().replaceAll(/[\s_./-]/g, '');
}

function refusedField([field, value]: [string, unknown]): RefusedField {
  if (typeof value === 'string') return { field, type: 'string', length: value.length };
  if (Array.isArray(value)) return { field, type: 'array', length: value.length };
  if (isPlainObject(value)) return { field, type: 'object', length: Object.keys(value).length };
  // The parser turns integers that a double cannot hold into driver objects.
  const type = value === null ? 'null' : typeof value;
  return { field, type: type === 'object' ? 'number' : type, length: null };
}
