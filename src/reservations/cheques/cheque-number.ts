import { Field } from '../../core/http/validation/field.js';
import { chequeNumber, chequeNumberLimit } from '../../core/values/text.js';

export function ChequeNumber(description = 'Stored with the cheque.'): PropertyDecorator {
  const api = { type: String, maxLength: chequeNumberLimit, description, example: '000123' };
  return Field(api, chequeNumber);
}
