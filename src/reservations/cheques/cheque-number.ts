import { Field } from '../../http/validation/field.js';
import type { ValueKind } from '../../values/rule.js';
import { maxLength, string } from '../../values/text.js';

/** Every report is kept, and has to stay small. */
const limit = 256;

export const chequeNumber: ValueKind = [string, maxLength(limit)];

export function ChequeNumber(description = 'Stored with the cheque.'): PropertyDecorator {
  const api = { type: String, maxLength: limit, description, example: '000123' };
  return Field(api, chequeNumber);
}
