import { ApiProperty } from '@nestjs/swagger';
import { IsString, ValidateBy } from 'class-validator';
import { isStorableText } from '../../http/validation/json-body.js';

/** Path of what is named by a slug. */
export class SlugParam {
  @ApiProperty({ description: 'The slug, percent-encoded.', example: 'palm-meadows' })
  @IsString()
  @ValidateBy({
    name: 'isStorableText',
    validator: { validate: (value) => typeof value === 'string' && isStorableText(value) },
  })
  slug!: string;
}
