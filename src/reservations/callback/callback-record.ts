import type { FastifyRequest } from 'fastify';
import { amount } from '../../core/values/numbers.js';
import { isPlainObject } from '../../core/values/json.js';
import { isValid } from '../../core/values/rule.js';
import { chequeNumber, externalId, isObjectId } from '../../core/values/text.js';
import { reservationStatuses } from '../../availability/availability.js';
import { chequeStatuses } from '../transitions.js';

export interface RefusedField {
  readonly field: string;
  readonly type: string;
  /** Characters of a text, items of a list, fields of an object; null for any other value. */
  readonly length: number | null;
}

/** The logged parts of a callback's body: no free text, so no personal data (rule CALL-15). */
export interface CallbackRecord {
  readonly requestId: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly refusedFields: readonly RefusedField[];
  readonly otherFields: number;
}

const loggedFieldChecks = new Map<string, (value: unknown) => boolean>([
  ['reservationId', (value) => typeof value === 'string' && isObjectId(value)],
  ['installmentId', (value) => isValid(externalId, value)],
  ['chequeNumber', (value) => isValid(chequeNumber, value)],
  ['chequeAmount', (value) => isValid(amount, value)],
  ['chequeStatus', (value) => isSpellingOf(chequeStatuses, value)],
  ['reservationStatus', (value) => isSpellingOf(reservationStatuses, value)],
]);

export function callbackRecord({ id, body }: Pick<FastifyRequest, 'id' | 'body'>): CallbackRecord {
  const fields = isPlainObject(body) ? Object.entries(body) : [];
  const known = fields.filter(([field]) => loggedFieldChecks.has(field));
  return {
    requestId: id,
    payload: Object.fromEntries(known.filter(isLogged)),
    refusedFields: known.filter((entry) => !isLogged(entry)).map(refusedField),
    otherFields: fields.length - known.length,
  };
}

function isLogged([field, value]: [string, unknown]): boolean {
  return loggedFieldChecks.get(field)?.(value) === true;
}

/** Bounds the separators between the letters. */
const maxSpellingLength = 64;

/** Whether a value equals one of the statuses, ignoring case, blanks and separators. */
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
  // Inexact integers are objects of the driver.
  const type = value === null ? 'null' : typeof value;
  return { field, type: type === 'object' ? 'number' : type, length: null };
}

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
