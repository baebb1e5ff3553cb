import { Field } from '../../http/validation/field.js';
import { maxLength, string } from '../../values/text.js';

/** Every report is kept, and has to stay small. */
const limit = 256;

export function ChequeNumber(description = 'Stored with the cheque.'): PropertyDecorator {
  return Field({ type: String, maxLength: limit, description, example: '000123' }, [
    string,
    maxLength(limit),
  ]);
}
