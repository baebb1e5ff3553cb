import { isPhone, maxPhoneLength } from '../../tenants/contacts/phone-reading.js';
import { ExternalIdField, TextField } from '../../core/validation/fields.js';
import { CommaList, PageLimit, PollingQuery } from '../../core/validation/query-fields.js';
import { ifText, IsStorable, MaxCharacters, Rule } from '../../core/validation/rules.js';
import { maxExternalIdLength } from '../../core/values/text.js';

const activeOnly = 'Deleted leads have none.';

export class ListLeadsQuery extends PollingQuery {
  @PageLimit()
  limit?: string;

  @ExternalIdField({
    description: 'The external id, exactly as sent.',
    example: 'website-form-7-4711',
  })
  recordSystemId?: string;

  @TextField(
    { description: `A phone in any spelling. ${activeOnly}`, maxLength: maxPhoneLength },
    MaxCharacters(maxPhoneLength),
    IsStorable(),
    Rule('isPhone', ifText(isPhone)),
  )
  phone?: string;

  @TextField(
    { description: `An email in any case. ${activeOnly}`, maxLength: maxExternalIdLength },
    MaxCharacters(maxExternalIdLength),
    IsStorable(),
  )
  email?: string;

  @CommaList('Linked to any of these compounds: slugs in any case, or ids.')
  compound?: string;

  @TextField(
    { description: 'The source, exactly as sent.', maxLength: maxExternalIdLength },
    MaxCharacters(maxExternalIdLength),
    IsStorable(),
  )
  leadSource?: string;
}
