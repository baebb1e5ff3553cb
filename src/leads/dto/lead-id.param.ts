import { ApiProperty } from '@nestjs/swagger';
import { ExternalId, externalIdLimit } from '../../http/validation/field-decorators.js';

/** Path of one lead. */
export class LeadIdParam {
  @ApiProperty({
    description: 'The external id of the lead, percent-encoded.',
    minLength: 1,
    maxLength: externalIdLimit,
    example: 'website-form-7-4711',
  })
  @ExternalId()
  recordSystemId!: string;
}
