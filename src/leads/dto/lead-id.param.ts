import { ExternalIdField } from '../../core/http/validation/fields.js';

/** Which lead, in a path or a query. */
export class LeadIdParam {
  @ExternalIdField({
    required: true,
    description: 'The external id of the lead, percent-encoded.',
    example: 'website-form-7-4711',
  })
  recordSystemId!: string;
}
