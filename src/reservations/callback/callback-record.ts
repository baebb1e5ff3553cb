import type { FastifyRequest } from 'fastify';
import { amount } from '../../core/values/numbers.js';
import { isPlainObject } from '../../core/values/plain-object.js';
import { isValid } from '../../core/values/rule.js';
import { chequeNumber, externalId, isObjectId } from '../../core/values/text.js';
import { reservationStatuses } from '../../availability/availability.js';
import { chequeStatuses } from '../transitions.js';

/** A known field whose value is not kept. */
export interface RefusedField {
  readonly field: string;
  readonly type: string;
  /** Characters of a text, items of a list, fields of an object; null for any other value. */
  readonly length: number | null;
}

/** What the log keeps of a callback's body: no free text, so that no person leaves a trace (rule CALL-15). */
export interface CallbackRecord {
  readonly requestId: string;
  /** The known fields that have valid values. */
  readonly payload: Readonly<Record<string, unknown>>;
  readonly refusedFields: readonly RefusedField[];
  /** How many other fields there were. */
  readonly otherFields: number;
}

/** Which values of each known field are kept. */
const kept = new Map<string, (value: unknown) => boolean>([
  ['reservationId', (value) => typeof value === 'string' && isObjectId(value)],
  ['installmentId', (value) => isValid(externalId, value)],
  ['chequeNumber', (value) => isValid(chequeNumber, value)],
  ['chequeAmount', (value) => isValid(amount, value)],
  ['chequeStatus', (value) => isSpellingOf(chequeStatuses, value)],
  ['reservationStatus', (value) => isSpellingOf(reservationStatuses, value)],
]);

/** The record of a request; a body that is no object has no known field. */
export function callbackRecord({ id, body }: Pick<FastifyRequest, 'id' | 'body'>): CallbackRecord {
  const fields = isPlainObject(body) ? Object.entries(body) : [];
  const known = fields.filter(([field]) => kept.has(field));
  return {
    requestId: id,
    payload: Object.fromEntries(known.filter(isKept)),
    refusedFields: known.filter((entry) => !isKept(entry)).map(refusedField),
    otherFields: fields.length - known.length,
  };
}

function isKept([field, value]: [string, unknown]): boolean {
  return kept.get(field)?.(value) === true;
}

/** Longer texts are no misspelt status, whatever stands between their letters. */
const longestSpelling = 64;

/** Whether a value is one of the statuses but for case, blanks and separators. */
function isSpellingOf(statuses: readonly string[], value: unknown): boolean {
  if (typeof value !== 'string' || value.length > longestSpelling) return false;
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
  // An integer that a double does not hold is an object of the database.
  const type = value === null ? 'null' : typeof value;
  return { field, type: type === 'object' ? 'number' : type, length: null };
}

/** The fields of a callback as people read them, without the reservation's own id; refused values were not kept. */
export function sentFields({
  payload,
  refusedFields,
}: Pick<CallbackRecord, 'payload' | 'refusedFields'>): string[] {
  const { reservationId: _id, ...fields } = payload;
  const refused = (refusedFields ?? []).map(({ field, type, length }) =>
    length === null ? `${field}=•••••• (${type})` : `${field}=•••••• (${type} of ${length})`,
  );
  return [...Object.entries(fields).map(([name, value]) => `${name}=${String(value)}`), ...refused];
}
